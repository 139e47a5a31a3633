import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { whenFileEnds } from "../world/end-of-file.ts";
import type { JournaledDelivery, JournaledDispatch, JournaledReport } from "./history.ts";
import type { Journal } from "./journal.ts";
import { openReporter } from "./reporter.ts";

/** A dispatch as a script sees it. */
export type Received = {
  dispatch: JournaledDispatch;
  // biome-ignore lint/suspicious/noExplicitAny: a scenario names the fields it is about
  body: any;
  /** Whether the sender has closed the connection. */
  isGone: () => boolean;
  /** Responds now and lets the script continue: an accepted run. */
  reply: (reply: Reply) => Promise<void>;
  /** Calls the service with the run's token until an instance responds. Returns the status. */
  report: (verb: string, body?: object) => Promise<number>;
};

type Reply = { status?: number; body?: unknown };
/** Returns the response: 200 without a body by default. Ignored if the script has replied before. */
type Script = (received: Received) => Reply | Promise<Reply>;

export type Receiver = {
  port: number;
  dispatches: JournaledDispatch[];
  deliveries: JournaledDelivery[];
  reports: JournaledReport[];
  /** The address of an endpoint that runs this script. `at`: another path to the receiver, such as a proxy. */
  endpoint: (name: string, script: Script, at?: { port: number }) => string;
  /** A webhook receiver that responds 200. */
  webhookUrl: string;
};

/** All customer endpoints in one server. Journals each dispatch on arrival, and again with its response. */
export async function openReceiver(journal: Journal, serviceUrls: () => string[]): Promise<Receiver> {
  const scripts = new Map<string, Script>();
  const dispatches: JournaledDispatch[] = [];
  const deliveries: JournaledDelivery[] = [];
  const reporter = openReporter(journal, serviceUrls);

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received_at = Date.now();
    const name = new URL(request.url ?? "/", "http://receiver").pathname.slice(1);
    const text = await readText(request).catch(() => undefined);
    if (text === undefined) return;
    if (name === "webhook") await takeDelivery(request.headers, text, received_at);
    const script = scripts.get(name);
    if (!script) return void response.writeHead(name === "webhook" ? 200 : 404).end();
    const token = String(request.headers["x-svc-run-token"]);
    const body = JSON.parse(text);
    const dispatch = { ...readDispatch(body, token), received_at, responded_at: null, status: null };
    dispatches.push(dispatch);
    await journal.append({ kind: "dispatch", ...dispatch });
    const reply = (given: Reply) => end(dispatch, response, given);
    const report = (verb: string, given = {}) => reporter.report({ dispatch, token }, verb, given);
    await reply(await script({ dispatch, body, isGone: () => response.destroyed, reply, report }));
  }

  async function end(dispatch: JournaledDispatch, response: ServerResponse, given: Reply): Promise<void> {
    if (response.writableEnded || response.destroyed) return;
    const { status = 200, body } = given;
    const text = body === undefined ? "" : JSON.stringify(body);
    response.writeHead(status, { "content-type": "application/json" }).end(text);
    Object.assign(dispatch, { responded_at: Date.now(), status });
    await journal.append({ kind: "response", ...dispatch });
  }

  async function takeDelivery(headers: IncomingHttpHeaders, text: string, received_at: number): Promise<void> {
    const delivery = { id: String(headers["webhook-id"]), body: JSON.parse(text), received_at };
    deliveries.push(delivery);
    await journal.append({ kind: "delivery", ...delivery });
  }

  const server = createServer((request, response) => {
    response.on("error", () => {});
    void receive(request, response).catch((error) => {
      console.error("the receiver failed:", error);
      response.destroy();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  whenFileEnds(async () => {
    reporter.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    ...{ port, dispatches, deliveries, reports: reporter.reports, webhookUrl: `http://127.0.0.1:${port}/webhook` },
    endpoint: (name, script, at = { port }) => {
      scripts.set(name, script);
      return `http://127.0.0.1:${at.port}/${name}`;
    },
  };
}

type Sent = Pick<JournaledDispatch, "run_id" | "attempt" | "project_id" | "job_id"> & {
  workflow_run_id?: string;
  step_ref?: string;
};

/** `lease`: the hash of the lease token in the run's token. `item`: the index of a map item. */
function readDispatch(sent: Sent, token: string): Omit<JournaledDispatch, "received_at" | "responded_at" | "status"> {
  const { run_id, attempt, project_id, job_id, workflow_run_id = null, step_ref = null } = sent;
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8") || "{}");
  const item = /\[(\d+)\]/.exec(step_ref ?? "")?.[1];
  const place = { workflow_run_id, step_ref, item: item === undefined ? null : Number(item) };
  return { run_id, attempt, lease: String(claims.ltk), project_id, job_id, ...place };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
