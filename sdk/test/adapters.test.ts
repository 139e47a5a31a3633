import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { beforeAll, describe, expect, it } from "vitest";
import { whenFileEnds } from "../../server/test/world/end-of-file.ts";
import { makeWorld, type TestProject, type World } from "../../server/test/world/world.ts";
import { serve as serveExpress } from "../src/adapters/express.ts";
import { serve as serveFastify } from "../src/adapters/fastify.ts";
import { serve as serveFetch } from "../src/adapters/fetch.ts";
import { serve as serveHono } from "../src/adapters/hono.ts";
import { serve as serveNext } from "../src/adapters/next.ts";
import { serve as serveNode } from "../src/adapters/node.ts";
import { createClient } from "../src/client/create-client.ts";
import { defineJob } from "../src/define-job.ts";
import type { ServeOptions } from "../src/serve/serve-options.ts";
import { signRequest } from "../src/serve/verify-signature.ts";
import { readManifest, sync } from "../src/sync.ts";

let world: World;
let project: TestProject;
const echo = defineJob({
  id: "echo",
  run: async (payload: { text: string }, ctx) => {
    await ctx.progress(50);
    return { heard: payload.text, attempt: ctx.run.attempt };
  },
});

beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const optionsOf = (): ServeOptions => ({
  jobs: [echo],
  baseUrl: world.url,
  signingSecret: () => project.webhook_secret,
  onError: () => {},
});

async function urlOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenFileEnds(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Passes node:http requests to a Request/Response handler, as the runtimes of those frameworks do. */
function bridge(handle: (request: Request) => Response | Promise<Response>): Server {
  return createServer((incoming, outgoing) => void respondOnce(incoming, outgoing));

  async function respondOnce(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const reply = await handle(
      new Request(`http://${incoming.headers.host}${incoming.url}`, {
        method: incoming.method ?? "GET",
        headers: incoming.headers as Record<string, string>,
        ...(incoming.method === "POST" && { body: Buffer.concat(chunks) }),
      }),
    );
    outgoing.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  }
}

/** Each framework, with serve() mounted at a path of an application that also does other things. */
const FRAMEWORKS: Record<string, () => Promise<string>> = {
  "node:http": async () => {
    const handle = serveNode(optionsOf());
    const server = createServer((request, response) => {
      if (request.url === "/millrace") return void handle(request, response);
      response.writeHead(404).end();
    });
    return `${await urlOf(server)}/millrace`;
  },
  fetch: async () => `${await urlOf(bridge(serveFetch(optionsOf())))}/`,
  "hono route": async () => {
    const app = new Hono().get("/", (c) => c.text("home")).on(["GET", "POST"], "/millrace", serveHono(optionsOf()));
    return `${await urlOf(bridge((request) => app.fetch(request)))}/millrace`;
  },
  "hono mount": async () => {
    const app = new Hono().mount("/millrace", serveHono(optionsOf()));
    return `${await urlOf(bridge((request) => app.fetch(request)))}/millrace`;
  },
  next: async () => {
    const route = serveNext(optionsOf());
    return `${await urlOf(bridge((request) => route[request.method as "GET" | "POST"](request)))}/`;
  },
  express: async () => {
    const app = express();
    app.use("/millrace", serveExpress(optionsOf()));
    app.use(express.json());
    return `${await urlOf(createServer(app))}/millrace`;
  },
  "express with raw bodies": async () => {
    const app = express();
    app.use(
      express.json({
        verify: (request, _, bytes) => {
          (request as { rawBody?: Buffer }).rawBody = bytes;
        },
      }),
    );
    app.use("/millrace", serveExpress(optionsOf()));
    return `${await urlOf(createServer(app))}/millrace`;
  },
  fastify: async () => {
    const app = fastify();
    app.post("/other", async ({ body }) => ({ parsed: body }));
    await app.register(serveFastify(optionsOf()), { prefix: "/millrace" });
    whenFileEnds(() => app.close());
    return `${await app.listen({ host: "127.0.0.1", port: 0 })}/millrace`;
  },
};

describe.each(Object.keys(FRAMEWORKS))("serve() in %s", (name) => {
  let url: string;

  beforeAll(async () => {
    url = (await FRAMEWORKS[name]?.()) ?? "";
  });

  it("runs a job of the real engine", async () => {
    const client = createClient({ baseUrl: world.url, apiKey: project.key });
    await sync(client, { jobs: [echo], endpointUrl: url });
    const run = await client.jobs.trigger(echo, { text: "grüße 🌊" });
    await world.runUntilIdle();
    expect(await run.get()).toMatchObject({
      status: "completed",
      result: { heard: "grüße 🌊", attempt: 1 },
      progress: { percent: 50 },
    });
  });

  it("returns its manifest to a signed GET, and rejects unsigned ones", async () => {
    const manifest = await readManifest(url, project.webhook_secret);
    expect(manifest).toEqual({ millrace: 1, jobs: [{ name: "echo", slug: "echo" }], workflows: [] });
    const reply = await fetch(url);
    expect(reply.status).toBe(401);
    expect(await reply.json()).toMatchObject({ code: "signature_invalid" });
  });

  it("H3 rejects a modified body and an outdated request", async () => {
    const body = JSON.stringify({ run_id: "x" });
    const post = (headers: Record<string, string>, sent = body) =>
      fetch(url, { method: "POST", body: sent, headers: { "content-type": "application/json", ...headers } });
    const signed = await signRequest(project.webhook_secret, body);
    expect((await post(signed, `${body} `)).status).toBe(401);
    expect((await post({})).status).toBe(401);
    const old = await post(await signRequest(project.webhook_secret, body, Date.now() / 1_000 - 301));
    expect(old.status).toBe(401);
    expect(await old.json()).toMatchObject({ error: expect.stringMatching(/signed 30\d s ago/) });
    const foreign = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    expect((await post(await signRequest(foreign, body))).status).toBe(401);
  });
});

describe("serve() in an application that parses bodies first", () => {
  it("says where to mount it, and the run is retried", async () => {
    const app = express();
    app.use(express.json());
    app.use("/millrace", serveExpress(optionsOf()));
    const url = `${await urlOf(createServer(app))}/millrace`;
    const body = JSON.stringify({ run_id: "x" });
    const headers = { "content-type": "application/json", ...(await signRequest(project.webhook_secret, body)) };
    const reply = await fetch(url, { method: "POST", body, headers });
    expect(reply.status).toBe(500);
    expect(await reply.json()).toMatchObject({
      code: "body_was_parsed",
      error: expect.stringMatching(/before express.json/),
    });
  });
});

describe("serve() without a secret", () => {
  it("names the missing setting", async () => {
    const handle = serveFetch({ jobs: [echo], onError: () => {} });
    const reply = await handle(new Request("http://localhost/"));
    expect(reply.status).toBe(500);
    expect(await reply.json()).toMatchObject({ error: expect.stringMatching(/MILLRACE_SIGNING_SECRET/) });
  });
});

describe("a rotating secret", () => {
  it("H3 accepts the old and the new one while both are in use", async () => {
    const old = project.webhook_secret;
    const client = createClient({ baseUrl: world.url, apiKey: project.key });
    const url = `${await urlOf(bridge(serveFetch({ ...optionsOf(), signingSecret: old })))}/`;
    await sync(client, { jobs: [echo], endpointUrl: url });
    await client.projects.rotateWebhookSecret(project.id, { grace_period_minutes: 60 });
    const run = await client.jobs.trigger(echo, { text: "still" });
    await world.runUntilIdle();
    expect((await run.get()).status).toBe("completed");
  });
});
