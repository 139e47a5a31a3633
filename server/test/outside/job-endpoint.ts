import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { whenFileEnds } from "../world/end-of-file.ts";

/** A dispatch as received. */
export type Dispatch = {
  run_id: string;
  attempt: number;
  /** With the query. */
  path: string;
  headers: IncomingHttpHeaders;
  raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about
  body: any;
  arrived_at: number;
  ended_at: number | undefined;
};

/** A status, a status with a body, or a function that handles the response. */
export type Script = number | { status: number; body?: unknown; headers?: Record<string, string> } | Act;
type Act = (dispatch: Dispatch, response: ServerResponse) => void | Promise<void>;

export type JobEndpoint = {
  url: string;
  dispatches: Dispatch[];
  /** Responds in this order; the last response is repeated. */
  respondWith: (...scripts: Script[]) => JobEndpoint;
  close: () => Promise<void>;
  /** Listens again on the same port. */
  reopen: () => Promise<void>;
};

/** A customer's job endpoint: a real HTTP server that keeps a journal. Responds 200 {"ok":true} by default. */
export async function jobEndpoint(): Promise<JobEndpoint> {
  const dispatches: Dispatch[] = [];
  let scripts: Script[] = [{ status: 200, body: { ok: true } }];

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const dispatch = readDispatch(request, Buffer.concat(chunks).toString("utf8"));
      dispatches.push(dispatch);
      response.on("close", () => {
        dispatch.ended_at = performance.now();
      });
      const script = scripts.length > 1 ? scripts.shift() : scripts[0];
      play(script ?? 200, dispatch, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  whenFileEnds(close);

  const endpoint: JobEndpoint = {
    url: `http://127.0.0.1:${port}/job`,
    dispatches,
    respondWith: (...given) => {
      scripts = given;
      return endpoint;
    },
    close,
    reopen: () => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve)),
  };
  return endpoint;
}

function readDispatch({ url: path = "", headers }: IncomingMessage, raw: string): Dispatch {
  const body = JSON.parse(raw);
  const { run_id, attempt } = body;
  return { run_id, attempt, path, headers, raw, body, arrived_at: performance.now(), ended_at: undefined };
}

function play(script: Script, dispatch: Dispatch, response: ServerResponse): void {
  if (typeof script === "function") return void script(dispatch, response);
  const { status, body, headers = {} } = typeof script === "number" ? { status: script, body: undefined } : script;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body === undefined ? "" : JSON.stringify(body));
}
