import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { makeClient } from "../../world/client.ts";
import { whenFileEnds } from "../../world/end-of-file.ts";
import type { Json } from "./json.ts";

export type Seen = { dispatches: Json[]; webhooks: Json[]; tokens: Map<string, string>; inFlight: number };

/** The customer's side of one build: endpoints whose behavior is in the payload, and receivers of webhooks. */
export type Endpoint = {
  /** Each project has a host of its own: ten webhooks go to a host at a time. */
  urlOf: (project_id: string) => string;
  seen: (project_id: string) => Seen;
};

export async function openEndpoint(serviceUrl: string): Promise<Endpoint> {
  const projects = new Map<string, Seen>();

  function seen(project_id: string): Seen {
    const known = projects.get(project_id) ?? { dispatches: [], webhooks: [], tokens: new Map(), inFlight: 0 };
    projects.set(project_id, known);
    return known;
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const [, kind, project_id = "", receiver = ""] = (request.url ?? "").split("/");
    if (kind === "hook") {
      seen(project_id).webhooks.push({ receiver, webhook_id: request.headers["webhook-id"], body });
      return void response.writeHead(receiver === "rejects" ? 410 : 200).end();
    }
    const project = seen(body.project_id);
    project.inFlight++;
    try {
      await dispatch(project, request, response, body);
    } finally {
      project.inFlight--;
    }
  }

  async function dispatch(project: Seen, request: IncomingMessage, response: ServerResponse, body: Json) {
    const token = String(request.headers["x-svc-run-token"]);
    const names = Object.keys(request.headers).filter((name) => /^x-|^idempotency|^traceparent/.test(name));
    const calls: Json[] = [];
    project.dispatches.push({ body, headers: names.sort(), custom: request.headers["x-custom"] ?? null, calls });
    project.tokens.set(body.run_id, token);
    const client = makeClient(serviceUrl, { authorization: `Bearer ${token}` });
    const sdk = async (verb: string, sent: object): Promise<number> => {
      const { status, body: answer } = await client.post(`/sdk/v1/runs/${body.run_id}/${verb}`, sent);
      calls.push({ verb, status, ...(status >= 400 && { code: answer?.code }) });
      return status;
    };
    const { status, result } = await behave(body, sdk, response);
    if (response.destroyed) return;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(result ?? null));
  }

  const server = createServer((request, response) => {
    response.on("error", () => {});
    void receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  whenFileEnds(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const hosts = new Map<string, string>();
  function urlOf(project_id: string): string {
    const nth = hosts.size;
    const host = hosts.get(project_id) ?? `127.1.${Math.floor(nth / 250) % 250}.${1 + (nth % 250)}`;
    hosts.set(project_id, host);
    return `http://${host}:${port}`;
  }
  return { urlOf, seen };
}

type Sdk = (verb: string, body: object) => Promise<number>;
type Reply = { status: number; result?: Json };

/** What a dispatch does is in its payload, so that both builds see the same behavior. */
async function behave(body: Json, sdk: Sdk, response: ServerResponse): Promise<Reply> {
  const { payload, tries_used, attempt, waits, checkpoint, deadline } = body;
  const completed = { status: 200, result: { ok: payload?.n ?? null, attempt } };
  switch (payload?.do) {
    case "fail":
      return tries_used < payload.times ? { status: 500, result: { error: `broken ${payload.n}` } } : completed;
    case "refuse":
      return { status: 422, result: { message: "not like this" } };
    case "hang":
      // A replay has the timeout of its job, which is an hour.
      if (Date.parse(deadline) - Date.now() > 60_000) return completed;
      await new Promise((resolve) => response.once("close", resolve));
      return completed;
    case "accept":
      return { status: 202 };
    case "wait": {
      if (waits.length > 0) return { status: 200, result: { got: checkpoint } };
      const { key, timeout_secs = 3_600, notify_url } = payload;
      const status = await sdk("wait-for-event", { event_key: key, timeout_secs, notify_url });
      return { status: 200, result: { waited: status } };
    }
    case "sleep": {
      if (waits.length > 0) return completed;
      const status = await sdk("sleep", { secs: 1 });
      return { status: 200, result: { slept: status } };
    }
    case "spawn": {
      if (waits.length > 0) return { status: 200, result: { child: checkpoint?.status ?? null } };
      const { job, child, wait } = payload;
      const status = await sdk("spawn", { job_id: job, payload: child, wait, idempotency_key: `child-${payload.n}` });
      return { status: 200, result: { spawned: status } };
    }
    case "report":
      // First: the cost of a report is attributed to the tags that the run has when it is summed up.
      await sdk("metadata", { tags: { reported: "yes" }, metadata: { by: "job" } });
      await sdk("log", {
        logs: [{ message: `first of ${payload.n}` }, { level: "warn", message: "needle", fields: { n: payload.n } }],
      });
      await sdk("progress", { percent: 40, message: "almost half" });
      await sdk("usage", {
        provider: "p",
        model: "m",
        input_tokens: 10,
        output_tokens: 5,
        cost_microusd: payload.cost ?? 100,
      });
      await sdk("checkpoint", { state: { at: payload.n } });
      await sdk("tool-call", { name: "search", input: { q: payload.n }, output: [1], duration_ms: 7 });
      await sdk("output", { name: "report", value: { n: payload.n } });
      return completed;
    default:
      return completed;
  }
}
