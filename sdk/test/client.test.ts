import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { makeWorld, type TestProject, type World } from "../../server/test/world/world.ts";
import { createClient } from "../src/client/create-client.ts";
import {
  type ApiError,
  AuthenticationError,
  ConflictError,
  EventConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
} from "../src/client/http/api-error.ts";
import type { ClientOptions } from "../src/client/http/connection.ts";
import { MillraceError, NetworkError, TimeoutError } from "../src/errors.ts";
import { ENDPOINTS } from "../src/generated/endpoints.ts";
import { skipWaits } from "./skip-waits.ts";

let world: World;
let project: TestProject;
const clientOf = (options: ClientOptions = {}) => createClient({ baseUrl: world.url, apiKey: project.key, ...options });

beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

/** The real fetch after some canned responses. */
function fetchAfter(...first: (() => Response | Promise<Response>)[]) {
  const asked: { method: string; url: string; headers: Headers }[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    asked.push({ method: init?.method ?? "GET", url: String(url), headers: new Headers(init?.headers) });
    return first.shift()?.() ?? globalThis.fetch(url, init);
  };
  return { fetch, asked };
}
const broken = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("ECONNRESET") }));
const problem =
  (status: number, code: string, headers = {}) =>
  () =>
    new Response(JSON.stringify({ detail: "said", code, request_id: "r1", errors: [] }), {
      status,
      headers: { "content-type": "application/problem+json", ...headers },
    });

describe("client errors", () => {
  it("O3 throws the error class of the status, with code, request id and fields", async () => {
    const client = clientOf();
    await expect(clientOf({ apiKey: "svc_wrong" }).jobs.list().page()).rejects.toBeInstanceOf(AuthenticationError);
    const { key } = await project.newKey({ scopes: ["runs:read"] });
    await expect(clientOf({ apiKey: key }).jobs.list().page()).rejects.toBeInstanceOf(PermissionError);
    await expect(client.runs.get("01980000-0000-7000-8000-000000000000")).rejects.toBeInstanceOf(NotFoundError);
    const error = await client.jobs.create({ name: "", endpoint_url: 4 as never }).catch((thrown: ApiError) => thrown);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({
      code: "validation_failed",
      status: 422,
      retryable: false,
      method: "POST",
      path: "/v1/jobs",
    });
    expect((error as ApiError).fields.map(({ location }) => location)).toContain("body.endpoint_url");
    expect((error as ApiError).requestId).toMatch(/\w{8}/);
    expect((error as ApiError).docsUrl).toMatch(/^http:\/\/[^/]+\/docs\/errors\/validation_failed$/);
    await client.jobs.create({ name: "Taken", slug: "taken", endpoint_url: "http://127.0.0.1:9999/" });
    const taken = client.jobs.create({ name: "Taken", slug: "taken", endpoint_url: "http://127.0.0.1:9999/" });
    await expect(taken).rejects.toBeInstanceOf(ConflictError);
  });

  it("describes a response that is not ours by its status", async () => {
    const { fetch } = fetchAfter(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
    const error = await clientOf({ fetch, retries: 0 })
      .me.get()
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ code: "http_502", message: expect.stringContaining("Bad gateway"), retryable: true });
  });

  it("throws a NetworkError with the reason if the service is unreachable", async () => {
    const client = clientOf({ baseUrl: "http://127.0.0.1:9", retries: 0 });
    await expect(client.me.get()).rejects.toThrow(/GET http:\/\/127.0.0.1:9\/v1\/me: .*/);
    await expect(client.me.get()).rejects.toBeInstanceOf(NetworkError);
    expect(() => createClient({ baseUrl: "localhost:8787" })).toThrow(MillraceError);
  });
});

describe("repeating", () => {
  it("repeats a GET after a broken connection and a 503", async () => {
    const { fetch, asked } = fetchAfter(broken, problem(503, "service_unavailable"));
    await clientOf({ fetch }).me.get();
    expect(asked).toHaveLength(3);
  });

  it("gives up a GET after two retries", async () => {
    const { fetch, asked } = fetchAfter(broken, broken, broken, broken);
    await expect(clientOf({ fetch }).me.get()).rejects.toBeInstanceOf(NetworkError);
    expect(asked).toHaveLength(3);
  });

  it("repeats a POST only if it has an idempotency key", async () => {
    const create = { name: "Repeated", endpoint_url: "http://127.0.0.1:9999/" };
    const plain = fetchAfter(broken);
    await expect(clientOf({ fetch: plain.fetch }).jobs.create(create)).rejects.toBeInstanceOf(NetworkError);
    expect(plain.asked).toHaveLength(1);
    const { slug } = await clientOf().jobs.create(create);
    const keyed = fetchAfter(broken);
    const run = await clientOf({ fetch: keyed.fetch }).jobs.trigger(slug, { n: 1 });
    expect(keyed.asked).toHaveLength(2);
    const keys = keyed.asked.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[0]).toBeTruthy();
    expect(keys[1]).toBe(keys[0]);
    expect((await clientOf().runs.list({ job_id: slug }).all()).map(({ id }) => id)).toEqual([run.id]);
  });

  it("obeys Retry-After, also for a POST, since a rate-limited request had no effect", async () => {
    const { fetch, asked } = fetchAfter(problem(429, "rate_limited", { "retry-after": "7" }));
    const waits = skipWaits(7_000);
    await clientOf({ fetch }).environments.create({ name: "Later" });
    expect([asked.length, waits.length]).toEqual([2, 1]);
  });

  it("throws immediately for a too long Retry-After and for a quota", async () => {
    const late = fetchAfter(problem(429, "rate_limited", { "retry-after": "61" }));
    const error = await clientOf({ fetch: late.fetch })
      .me.get()
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.retryAfterSecs).toBe(61);
    const quota = fetchAfter(problem(429, "event_trigger_quota"));
    await expect(clientOf({ fetch: quota.fetch }).me.get()).rejects.toMatchObject({ name: "QuotaExceededError" });
    expect(quota.asked).toHaveLength(1);
  });

  it("aborts the call and the wait between two tries with the signal's reason", async () => {
    const reason = new Error("enough");
    await expect(clientOf().me.get({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const { fetch, asked } = fetchAfter(problem(429, "rate_limited", { "retry-after": "30" }));
    const controller = new AbortController();
    const call = clientOf({ fetch }).me.get({}, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 50);
    await expect(call).rejects.toBe(reason);
    expect(asked).toHaveLength(1);
  });

  it("throws a TimeoutError if there is no response in time", async () => {
    const silent: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
    await expect(clientOf({ fetch: silent, timeoutMs: 20, retries: 0 }).me.get()).rejects.toBeInstanceOf(TimeoutError);
  });
});

describe("lists", () => {
  it("iterates over all pages, reads single pages, and stops at a maximum", async () => {
    const other = await world.project();
    const client = clientOf({ apiKey: other.key });
    for (const name of ["a", "b", "c", "d", "e"]) await client.environments.create({ name });
    const { fetch, asked } = fetchAfter();
    const counting = clientOf({ apiKey: other.key, fetch });
    const names: string[] = [];
    for await (const { name } of counting.environments.list({ limit: 3, order: "asc" })) names.push(name);
    expect(names).toHaveLength(8);
    expect(names.slice(-5)).toEqual(["a", "b", "c", "d", "e"]);
    expect(asked).toHaveLength(3);
    const page = await client.environments.list({ limit: 3 }).page();
    expect(page).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    const next = await client.environments.list({ limit: 3 }).page(page.next_cursor ?? "");
    expect(next.data[0]?.id).not.toBe(page.data[0]?.id);
    expect(await client.environments.list({ limit: 3 }).all(4)).toHaveLength(4);
  });
});

describe("every endpoint", () => {
  const entries = Object.entries(ENDPOINTS).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, entry]) => ({ noun, verb, entry: entry as readonly string[] })),
  );

  it("is called by noun and verb with its method and path, ids in order", async () => {
    for (const { noun, verb, entry } of entries) {
      const [method = "", path = "", kind] = entry;
      const asked: string[] = [];
      const client = clientOf({
        retries: 0,
        fetch: async (url, init) => {
          asked.push(`${init?.method} ${String(url).slice(world.url.length)}`);
          return kind === "stream"
            ? problem(404, "not_found")()
            : Response.json({ id: "x", data: [], has_more: false });
        },
      });
      const ids = [...path.matchAll(/\{\w+\}/g)].map((_, at) => `id/${at}`);
      const call = (client as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>)[noun]?.[verb];
      const response = call?.(...ids, {}) as Promise<unknown> & { page?: () => unknown; next?: () => Promise<unknown> };
      await (response.page?.() ?? response.next?.().catch(() => {}) ?? response);
      const filled = ids.reduce((filling, id) => filling.replace(/\{\w+\}/, encodeURIComponent(id)), path);
      expect(asked, `${noun}.${verb}`).toEqual([`${method} ${filled}`]);
    }
  });

  it("can be called by operation, fully typed", async () => {
    const client = clientOf();
    const created = await client.call("POST /v1/environments", { body: { name: "Called" } });
    const read = await client.call("GET /v1/environments/{envID}", { params: { envID: created.slug } });
    expect(read.id).toBe(created.id);
    // @ts-expect-error the id is missing
    expect(() => client.call("GET /v1/environments/{envID}")).toThrow(/needs envID/);
    const canceled = clientOf().call("POST /v1/runs/{runID}/cancel", { params: { runID: created.id } });
    await expect(canceled).rejects.toBeInstanceOf(NotFoundError);
  });

  it("returns text as text, and an empty body as undefined", async () => {
    const client = clientOf();
    expect(
      await createClient({ baseUrl: world.url, headers: { "x-internal-secret": "x" } }).health.get(),
    ).toMatchObject({ status: "ok" });
    const { id } = await client.environments.create({ name: "Gone" });
    expect(await client.environments.delete(id)).toBeUndefined();
  });
});

describe("events", () => {
  it("T4 throws EventConflictError for a different payload for a received key", async () => {
    const conflict = fetchAfter(problem(409, "event_already_received"));
    const sent = clientOf({ fetch: conflict.fetch }).events.send("a/b", { n: 2 });
    await expect(sent).rejects.toBeInstanceOf(EventConflictError);
    expect(conflict.asked[0]?.url).toMatch(/\/v1\/events\/a%2Fb\/send$/);
    expect(await clientOf().events.send("no.wait", 1, { buffer: "10m" })).toMatchObject({ buffered: true });
    await expect(clientOf().events.send("unknown.key", 1)).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe("settings from the environment", () => {
  afterEach(() => void vi.unstubAllEnvs());

  it("reads URL and key from MILLRACE_BASE_URL and MILLRACE_API_KEY unless they are given", async () => {
    vi.stubEnv("MILLRACE_BASE_URL", `${world.url}/`);
    vi.stubEnv("MILLRACE_API_KEY", project.key);
    expect(await createClient().me.get()).toMatchObject({ project_id: project.id });
    await expect(createClient({ apiKey: "svc_other" }).me.get()).rejects.toBeInstanceOf(AuthenticationError);
  });
});
