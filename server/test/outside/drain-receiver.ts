import { createServer, type IncomingHttpHeaders } from "node:http";
import { listen } from "./loopback.ts";

type DrainRequest = { headers: IncomingHttpHeaders; path: string; body: string };

export type DrainReceiver = {
  url: string;
  /** Requests that were accepted. */
  taken: DrainRequest[];
  /** Requests that were rejected. */
  refused: DrainRequest[];
  /** The status of the next responses. */
  respondWith: (status: (request: DrainRequest) => number) => void;
  /** The response body of a rejection. */
  says: (text: (request: DrainRequest) => string) => void;
};

/** An external log collector. */
export async function drainReceiver(): Promise<DrainReceiver> {
  const [taken, refused]: DrainRequest[][] = [[], []];
  let statusOf: (request: DrainRequest) => number = () => 200;
  let textOf: (request: DrainRequest) => string = () => "no thanks";
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const got = { headers: request.headers, path: request.url ?? "", body: Buffer.concat(pieces).toString("utf8") };
      const status = statusOf(got);
      (status < 300 ? taken : refused)?.push(got);
      response.writeHead(status).end(status < 300 ? "" : textOf(got));
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/ingest`,
    taken: taken ?? [],
    refused: refused ?? [],
    respondWith: (status) => {
      statusOf = status;
    },
    says: (text) => {
      textOf = text;
    },
  };
}
