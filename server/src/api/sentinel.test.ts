import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dumpTables } from "../../test/oracles/dump-tables.ts";
import { type JobEndpoint, jobEndpoint } from "../../test/outside/job-endpoint.ts";
import { closeAll, listen } from "../../test/outside/loopback.ts";
import { type Client, makeClient } from "../../test/world/client.ts";
import { runSql } from "../../test/world/database.ts";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { allTasks } from "../engine/all-tasks.ts";
import { dispatcherOf } from "../engine/dispatcher.ts";
import { runTaskOnce } from "../engine/run-task-once.ts";
import { drainerOf } from "../features/log-drains/drainer.ts";
import { senderOf } from "../features/webhook-deliveries/sender.ts";
import { openService, type Service } from "../main/open-service.ts";
import { newSignInCode } from "../platform/access/credentials/session-store.ts";
import { LONG_TIMEOUTS } from "../platform/database/timeouts.ts";
import { allRoutes } from "./all-routes.ts";

/** Every secret that was set or generated, by origin. */
const secrets = new Map<string, string>();
const lines: string[] = [];
/** Responses of refused and failed requests. */
const errorBodies: string[] = [];

function mark(place: string): string {
  const secret = `snt-${randomBytes(12).toString("hex")}`;
  secrets.set(place, secret);
  return secret;
}

function keep(place: string, secret: unknown): string {
  if (typeof secret !== "string" || secret.length < 12) throw new Error(`${place}: no secret: ${secret}`);
  secrets.set(place, secret);
  return secret;
}

let world: World;
let project: TestProject;
let loud: Service;
let url: string;
let api: Client;
let echo: string;
let jobs: JobEndpoint;

/** A service that logs everything, an outside receiver that echoes all it gets, and a scenario with secrets. */
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const connections = { work: world.connection, direct: world.connection };
  loud = await openService(world.ctx.config, connections, log, [], LONG_TIMEOUTS);
  url = await loud.app.listen({ host: "127.0.0.1", port: 0 });
  api = makeClient(url, { authorization: `Bearer ${project.key}` });
  echo = await echoingReceiver();
  jobs = await jobEndpoint();
  keepGivenOut();
  await useSecretFields();
  await useCredentials();
  await fail();
  await live();
}, 120_000);
afterAll(async () => {
  await loud.close();
  await closeAll();
});

/** Echoes every header and the body, with a failure status. */
async function echoingReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const { "content-length": _, connection: __, host: ___, ...headers } = request.headers;
      response.writeHead(500, { "x-echo": JSON.stringify(headers) }).end(JSON.stringify(headers));
    });
  });
  return `http://127.0.0.1:${await listen(server)}/hook`;
}

function keepGivenOut(): void {
  keep("the internal secret", INTERNAL_SECRET);
  for (const name of ["jwt_signing_keys", "encryption_keys"] as const) keep(name, world.ctx.config[name][0]);
  keep("an API key", project.key);
  keep("the webhook secret of a project", project.webhook_secret);
}

async function done(reply: Promise<{ status: number; text: string; body: Record<string, string> }>) {
  const { status, text, body } = await reply;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}

async function useSecretFields(): Promise<void> {
  const variables = () => ({ A: mark("a variable of an environment") });
  const { id: environment } = await done(api.post("/v1/environments", { name: "Secret", variables: variables() }));
  await done(api.patch(`/v1/environments/${environment}`, { variables: { B: mark("a changed variable") } }));
  const headers = (place: string) => ({
    authorization: `Bearer ${mark(place)}`,
    "x-api-key": mark(`${place}, own name`),
  });
  const job = { name: "Job", endpoint_url: jobs.url, headers: headers("the headers of a job") };
  const { id: jobId } = await done(api.post("/v1/jobs", job));
  await done(api.patch(`/v1/jobs/${jobId}`, { headers: headers("the changed headers of a job") }));
  await done(api.post(`/v1/jobs/${jobId}/trigger`, { payload: {} }));
  const hook = { url: echo, events: ["*"], headers: headers("the headers of a subscription") };
  const { id: subscription } = await done(api.post("/v1/webhook-subscriptions", hook));
  await done(api.patch(`/v1/webhook-subscriptions/${subscription}`, { headers: headers("its changed headers") }));
  await done(api.post(`/v1/webhook-subscriptions/${subscription}/test`));
  for (const auth of [
    { type: "bearer", token: mark("the token of a drain") },
    { type: "basic", username: "ada", password: mark("the password of a drain") },
    { type: "header", name: "x-license", value: mark("the header of a drain") },
  ]) {
    const { id } = await done(api.post("/v1/log-drains", { name: "Drain", url: echo, auth }));
    await api.post(`/v1/log-drains/${id}/test`);
  }
  const source = { name: "Source", signature: "hmac", secret: mark("the secret of a source") };
  const { id: sourceId } = await done(api.post("/v1/event-sources", source));
  const rotate = `/v1/event-sources/${sourceId}/secret/rotate`;
  await done(api.post(rotate, { secret: mark("the next secret of a source"), grace_period_minutes: 5 }));
  keep("the secret that a source was given", (await done(api.post(rotate, {}))).secret);
}

async function useCredentials(): Promise<void> {
  const made = await done(api.post("/v1/api-keys", { name: "Made", scopes: ["runs:read"] }));
  keep("a created key", made.key);
  const again = await done(api.post(`/v1/api-keys/${made.id}/rotate`, { grace_period_minutes: 5 }));
  keep("a rotated key", again.key);
  const secret = await done(api.post(`/v1/projects/${project.id}/webhook-secret/rotate`, {}));
  keep("the rotated webhook secret", secret.webhook_secret);
  const token = await done(api.post("/v1/tokens", { scopes: ["runs:read"], tags: { of: "nobody" } }));
  keep("a scoped token", token.token);
  const code = keep("a sign-in code", await newSignInCode(loud.ctx));
  for (const credential of [{ api_key: project.key }, { internal_secret: INTERNAL_SECRET }, { code }]) {
    const reply = await makeClient(url, { "x-internal-secret": INTERNAL_SECRET }).post("/v1/session", credential);
    const cookie = keep(
      `a session by ${Object.keys(credential)}`,
      /=([^;]+)/.exec(reply.headers.get("set-cookie") ?? "")?.[1],
    );
    await makeClient(url, { cookie: `millrace_session=${cookie}` }).get("/v1/me");
  }
  await makeClient(url, {}).get(`/v1/runs?token=${token.token}`);
  const stream = await fetch(`${url}/v1/stream?topics=runs&token=${again.key}`);
  await stream.body?.cancel();
}

/** Every possible refusal, with a secret in it. */
async function fail(): Promise<void> {
  const anybody = makeClient(url, {});
  const record = async (reply: Promise<{ status: number; text: string }>) => {
    const { status, text } = await reply;
    expect(status).toBeGreaterThanOrEqual(400);
    errorBodies.push(text);
  };
  for (const route of allRoutes.filter(({ path }) => path.startsWith("/v1/") && !path.includes("{")).slice(0, 40)) {
    const secret = mark(`a bad credential of ${route.method} ${route.path}`);
    const call = (headers: Record<string, string>, query = "") =>
      fetch(`${url}${route.path}${query}`, { method: route.method, headers }).then(async (reply) => {
        errorBodies.push(await reply.text());
      });
    await call({ authorization: `Bearer ${secret}` });
    await call({ "x-internal-secret": secret });
    await call({ cookie: `millrace_session=${secret}` });
    await call({}, `?token=${secret}`);
  }
  await record(anybody.post("/v1/session", { api_key: mark("a wrong key at sign-in") }));
  await record(anybody.post("/v1/session", { internal_secret: mark("a wrong secret at sign-in") }));
  await record(anybody.post("/v1/session", { code: mark("a wrong code at sign-in") }));
  await record(anybody.post("/v1/session", { api_key: mark("two at sign-in"), code: mark("the other of two") }));
  await record(anybody.post("/v1/session", { password: mark("an unknown field at sign-in") }));
  await record(anybody.post("/v1/session", { api_key: { key: mark("an object at sign-in") } }));
  await record(anybody.get(`/v1/nothing?token=${mark("a token on a path that does not exist")}`));
  await record(anybody.post(`/v1/events/callback/${mark("a wrong callback token")}`, {}));
  const variables = { A: 5, B: mark("a variable next to an invalid one") };
  await record(
    api.post("/v1/environments", { name: "Wrong", variables, token: mark("an unknown field with a token") }),
  );
  await record(api.post("/v1/jobs", { name: 5, endpoint_url: jobs.url, headers: [mark("headers that are a list")] }));
  await record(
    api.post("/v1/log-drains", { name: "x", url: echo, auth: { type: "what", token: mark("a wrong drain") } }),
  );
  await record(api.post("/v1/event-sources", { name: "x", signature: "hmac", secret: { is: mark("no text") } }));
  await failInside(record);
}

/** Internal errors: the database refuses to store what was requested. */
async function failInside(record: (reply: Promise<{ status: number; text: string }>) => Promise<void>): Promise<void> {
  await runSql(
    world.connection,
    "alter table audit_events add constraint fails check (action not in ('environment.created', 'job.created', 'log_drain.created', 'webhook_subscription.created', 'event_source.created')) not valid",
  );
  const headers = { "x-api-key": mark("the headers of a job that fails") };
  await record(api.post("/v1/environments", { name: "Fails", variables: { A: mark("a variable that fails") } }));
  await record(api.post("/v1/jobs", { name: "Fails", endpoint_url: jobs.url, headers }));
  const auth = { type: "bearer", token: mark("the token of a drain that fails") };
  await record(api.post("/v1/log-drains", { name: "Fails", url: echo, auth }));
  await record(
    api.post("/v1/webhook-subscriptions", { url: echo, events: ["*"], headers: { "x-a": mark("that fails") } }),
  );
  const secret = mark("the secret of a source that fails");
  await record(api.post("/v1/event-sources", { name: "Fails", signature: "hmac", secret }));
  await runSql(world.connection, "alter table audit_events drop constraint fails");
}

/** The service in operation: runs are dispatched, webhooks and logs are sent, and fail. */
async function live(): Promise<void> {
  jobs.respondWith(({ headers, body }, response) => {
    keep(
      "a run token",
      String(body.run_token ?? headers["x-run-token"] ?? headers.authorization ?? "").replace("Bearer ", ""),
    );
    response.writeHead(500).end("no");
  });
  for (let pass = 0; pass < 3; pass++) {
    for (const loop of allTasks) while (await runTaskOnce(loud.ctx, loop));
    await dispatcherOf(loud.ctx).idle();
    await senderOf(loud.ctx).idle();
    await drainerOf(loud.ctx).idle();
    await world.clock.pass("10m");
    await loud.ctx.watch.ping();
  }
}

const holders = (texts: readonly string[]) =>
  [...secrets].flatMap(([place, secret]) => {
    const found = texts.find((text) => text.includes(secret));
    return found === undefined ? [] : [`${place}: ${found.slice(0, 300)}`];
  });

describe("a secret", { timeout: 180_000 }, () => {
  it("is in no line of the log", () => {
    expect(lines.length).toBeGreaterThan(100);
    expect(lines.some((line) => line.includes("internal error"))).toBe(true);
    expect(holders(lines)).toEqual([]);
  });

  it("is in no response that refuses or fails", () => {
    expect(errorBodies.length).toBeGreaterThan(150);
    expect(errorBodies.some((text) => text.includes("internal_error"))).toBe(true);
    expect(holders(errorBodies)).toEqual([]);
  });

  it("is in no audit event, neither listed nor exported", async () => {
    const texts = await Promise.all(
      ["?limit=100", "/export", "/export?format=csv"].map(
        async (rest) => (await api.get(`/v1/audit-events${rest}`)).text,
      ),
    );
    expect(texts.every((text) => text.includes("job.updated"))).toBe(true);
    expect(holders(texts)).toEqual([]);
  });

  it("is in no metric", async () => {
    const { text } = await makeClient(url, { "x-internal-secret": INTERNAL_SECRET }).get("/metrics");
    expect(text).toContain("millrace_");
    expect(holders([text])).toEqual([]);
  });

  it("is in no delivery, whatever its receiver echoes", async () => {
    const { body } = await api.get("/v1/webhook-deliveries?limit=100");
    const details = await Promise.all(
      body.data.map(async ({ id }: { id: string }) => (await api.get(`/v1/webhook-deliveries/${id}`)).text),
    );
    expect(details.some((text) => text.includes("x-echo"))).toBe(true);
    expect(holders(details)).toEqual([]);
    expect(
      holders([(await api.get("/v1/log-drains")).text, (await api.get("/v1/webhook-subscriptions")).text]),
    ).toEqual([]);
  });

  it("is nowhere in the database, as text, as bytes or in base64", async () => {
    const dump = Object.entries(await dumpTables(world.connection));
    const found = [...secrets].flatMap(([place, secret]) => {
      const bytes = Buffer.from(secret);
      const forms = [secret, bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, "")];
      const holding = dump.filter(([, text]) => forms.some((form) => text.includes(form)));
      return holding.map(([table]) => `${place} in ${table}`);
    });
    expect(found).toEqual([]);
    expect(secrets.size).toBeGreaterThan(60);
    // The search works: it finds a name, which is no secret.
    expect(dump.some(([, text]) => text.includes("x-license"))).toBe(true);
  });
});
