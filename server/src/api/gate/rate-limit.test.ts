import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { type HttpResponse, sendHttp } from "../../../test/outside/http-request.ts";
import { edgeRoutes } from "../../../test/requests/edge-routes.ts";
import { signIn } from "../../../test/requests/session-credentials.ts";
import { type ClientResponse, makeClient } from "../../../test/world/client.ts";
import { runSql } from "../../../test/world/database.ts";
import { INTERNAL_SECRET, type Instance, makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

const LIMITS = { api: 30, trigger: 10, bulk_trigger: 12 };
const ME = "/v1/me";
const TRIGGER = "/v1/test/trigger";

let world: World;
let project: TestProject;
/** Behind a trusted proxy, so that each test can use an address of its own. */
let instances: Instance[];
let addresses = 0;
beforeAll(async () => {
  const config = { rate_limits: LIMITS, trusted_proxies: ["127.0.0.1", "10.0.0.0/8"] };
  world = await makeWorld({ config, routes: edgeRoutes });
  instances = [world, await world.anotherInstance(), await world.anotherInstance()];
  await world.clock.set("2030-01-01T00:00:00Z");
  project = await world.project();
});

function newAddress(): string {
  return `203.0.113.${++addresses}`;
}

/** Many concurrent requests, to the instances in rotation. */
function sendAll(count: number, method: string, path: string, headers: (index: number) => Record<string, string>) {
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const { url } = instances[index % instances.length] ?? world;
      const given = { authorization: `Bearer ${project.key}`, ...headers(index) };
      return sendHttp(url, { method, path, headers: given }).then(toClientResponse);
    }),
  );
}

function toClientResponse({ status, headers, body }: HttpResponse): ClientResponse {
  return { status, headers: new Headers(headers), text: body, body: JSON.parse(body) };
}

function statuses(responses: ClientResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function countedOf(client: string): Promise<{ limit_name: string; admitted: number[]; last_second: string }[]> {
  return runSql(world.connection, "select * from ip_counters where client = $1 order by limit_name", [client]);
}

describe("requests of one address, over all instances", () => {
  it.each([
    ["GET", ME, "api"],
    ["POST", TRIGGER, "trigger"],
    ["POST", "/v1/test/bulk-trigger", "bulk_trigger"],
  ] as const)(
    "O4 %s %s: of three times the limit at once, exactly the limit is admitted",
    async (method, path, name) => {
      const address = newAddress();
      const responses = await sendAll(3 * LIMITS[name], method, path, () => ({ "x-forwarded-for": address }));
      expect(statuses(responses)).toEqual({ 200: LIMITS[name], 429: 2 * LIMITS[name] });
      const remaining = responses.map((response) => Number(response.headers.get("ratelimit-remaining")));
      expect(new Set(remaining.filter((_, index) => responses[index]?.status === 200)).size).toBe(LIMITS[name]);
    },
  );

  it("O4 never exceed the limit in any 60 seconds, however they are spread", async () => {
    const address = newAddress();
    const admittedAt: number[] = [];
    let refused = 0;
    for (let step = 0; step < 24; step++) {
      const now = Date.parse(await world.clock.now()) / 1_000;
      const responses = await sendAll(1 + ((step * 7) % 5), "POST", TRIGGER, () => ({ "x-forwarded-for": address }));
      for (const { status } of responses) status === 200 ? admittedAt.push(now) : refused++;
      await world.clock.pass(`${1 + ((step * 11) % 13)}s`);
    }
    for (const end of admittedAt) {
      const within = admittedAt.filter((at) => at > end - 60 && at <= end).length;
      expect(within).toBeLessThanOrEqual(LIMITS.trigger);
    }
    // Almost three minutes: the window slid, and it was full.
    expect(admittedAt.length).toBeGreaterThanOrEqual(2 * LIMITS.trigger);
    expect(refused).toBeGreaterThan(10);
  });

  it("O4 are admitted again after Retry-After, and not before", async () => {
    const headers = { authorization: `Bearer ${project.key}`, "x-forwarded-for": newAddress() };
    const [first, second, third] = instances.map(({ url }) => makeClient(url, headers));
    for (let count = 0; count < LIMITS.trigger; count++) {
      expect((await first?.post(TRIGGER))?.status).toBe(200);
      if (count === 0) await world.clock.pass("20s");
    }
    const refused = await first?.post(TRIGGER);
    const wait = Number(refused?.headers.get("retry-after"));
    expect([refused?.status, wait]).toEqual([429, 41]);
    await world.clock.pass(`${wait - 1}s`);
    expect((await second?.post(TRIGGER))?.status).toBe(429);
    await world.clock.pass("1s");
    expect((await third?.post(TRIGGER))?.status).toBe(200);
    expect((await third?.post(TRIGGER))?.status).toBe(429);
  });

  it("O4 are admitted again after the database's clock went back by an hour", async () => {
    const from = { "x-forwarded-for": newAddress() };
    await sendAll(LIMITS.api + 3, "GET", ME, () => from);
    await world.clock.goBack("1h");
    expect(statuses(await sendAll(3, "GET", ME, () => from))).toEqual({ 200: 3 });
    expect(statuses(await sendAll(LIMITS.api, "GET", ME, () => from))).toEqual({ 200: LIMITS.api - 3, 429: 3 });
  });

  it("O4 are admitted again a minute after the database's clock went back by less than that", async () => {
    const from = { "x-forwarded-for": newAddress() };
    await sendAll(LIMITS.api, "GET", ME, () => from);
    await world.clock.goBack("50s");
    expect(statuses(await sendAll(1, "GET", ME, () => from))).toEqual({ 429: 1 });
    await world.clock.pass("65s");
    expect(statuses(await sendAll(3, "GET", ME, () => from))).toEqual({ 200: 3 });
  });

  it("O4 get the remaining count", async () => {
    const headers = { authorization: `Bearer ${project.key}`, "x-forwarded-for": newAddress() };
    const client = makeClient(world.url, headers);
    const limitHeaders = ({ headers: given }: ClientResponse) =>
      ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].map((name) => given.get(name));
    expect(limitHeaders(await client.get(ME))).toEqual(["30", "29", "61"]);
    expect(limitHeaders(await client.get("/v1/environments?limit=0"))).toEqual(["30", "28", "61"]);
    expect(limitHeaders(await client.post(TRIGGER))).toEqual(["10", "9", "61"]);
    const responses = await sendAll(30, "GET", ME, () => ({ "x-forwarded-for": headers["x-forwarded-for"] }));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(3);
    for (const response of refused) {
      expect(limitHeaders(response)).toEqual(["30", "0", response.headers.get("retry-after")]);
      expect(response.body).toMatchObject({ code: "rate_limited", status: 429 });
    }
  });
});

describe("the address that is counted", () => {
  it("O4 is the socket's without TRUSTED_PROXIES: forty spoofed headers change nothing", async () => {
    const bare = await makeWorld({ config: { rate_limits: { ...LIMITS, api: 20 } } });
    await bare.clock.set("2030-01-01T00:00:00Z");
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const spoofed = `198.51.100.${index}`;
        const headers = { "x-forwarded-for": spoofed, "x-real-ip": spoofed, forwarded: `for=${spoofed}` };
        return bare.anonymous.get(ME, { headers });
      }),
    );
    expect(statuses(responses)).toEqual({ 401: 20, 429: 20 });
    expect(await runSql(bare.connection, "select client from ip_counters")).toEqual([{ client: "127.0.0.1" }]);
  });

  it("O4 is the right-most untrusted entry with TRUSTED_PROXIES: entries before it change nothing", async () => {
    const address = newAddress();
    const chains = [address, `1.1.1.1, ${address}`, `junk, 10.9.9.9, ${address}`, `2.2.2.2, ${address}, 10.0.0.1`];
    const responses = await sendAll(45, "GET", ME, (index) => ({
      "x-forwarded-for": chains[index % chains.length] ?? address,
    }));
    expect(statuses(responses)).toEqual({ 200: 30, 429: 15 });
    expect(await countedOf("1.1.1.1")).toEqual([]);
  });

  it("O4 is the /64 of an IPv6 address, and the IPv4 address inside a mapped one", async () => {
    const sixes = await sendAll(40, "GET", ME, (index) => ({
      "x-forwarded-for": `2001:db8:7:7::${index.toString(16)}`,
    }));
    expect(statuses(sixes)).toEqual({ 200: 30, 429: 10 });
    const address = newAddress();
    const fours = await sendAll(40, "GET", ME, (index) => ({
      "x-forwarded-for": index % 2 ? address : `::ffff:${address}`,
    }));
    expect(statuses(fours)).toEqual({ 200: 30, 429: 10 });
  });

  it("O4 is the same for everything that is not an address, however long", async () => {
    const junk = (index: number) => Array.from({ length: 400 }, (_, at) => `${index * 7_919 + at * 104_729}x`).join("");
    const responses = await sendAll(35, "GET", ME, (index) => ({ "x-forwarded-for": junk(index) }));
    expect(statuses(responses)).toEqual({ 200: 30, 429: 5 });
  });
});

describe("the rate limit", () => {
  it("O4 does not count the internal secret, but counts a wrong one", async () => {
    const address = newAddress();
    const right = { "x-internal-secret": INTERNAL_SECRET, "x-forwarded-for": address };
    const responses = await sendAll(35, "GET", ME, () => right);
    expect(statuses(responses)).toEqual({ 200: 35 });
    expect(responses[0]?.headers.get("ratelimit-limit")).toBeNull();
    expect(await countedOf(address)).toEqual([]);
    const wrong = await sendAll(35, "GET", ME, () => ({ "x-internal-secret": "guess", "x-forwarded-for": address }));
    expect(statuses(wrong)).toEqual({ 401: 30, 429: 5 });
  });

  it("O4 allows sessions 1,200 requests of their own, but no more triggers than others", async () => {
    const headers = { cookie: await signIn(world, { api_key: project.key }), "x-forwarded-for": newAddress() };
    const client = makeClient(world.url, headers);
    expect((await client.get(ME)).headers.get("ratelimit-limit")).toBe("1200");
    const responses = await Promise.all(Array.from({ length: 15 }, () => client.post(TRIGGER)));
    expect(statuses(responses)).toEqual({ 200: 10, 429: 5 });
    const byName = await countedOf(headers["x-forwarded-for"]);
    expect(byName.map((row) => row.limit_name)).toEqual(["session", "trigger"]);
    const byKey = makeClient(world.url, { ...headers, authorization: `Bearer ${project.key}` });
    expect((await byKey.post(TRIGGER)).status).toBe(429);
    expect((await byKey.get(ME)).headers.get("ratelimit-limit")).toBe("30");
  });

  it("O4 allows 10 sign-ins a minute, even where the other limits are off", async () => {
    const off = await makeWorld({ routes: edgeRoutes });
    await off.clock.set("2030-01-01T00:00:00Z");
    const responses = await Promise.all(
      Array.from({ length: 15 }, () => off.anonymous.post("/v1/session", { internal_secret: "guess" })),
    );
    expect(statuses(responses)).toEqual({ 401: 10, 429: 5 });
    expect((await off.admin.post("/v1/session", { internal_secret: INTERNAL_SECRET })).status).toBe(201);

    const tenant = await off.project();
    const many = await Promise.all(Array.from({ length: 30 }, () => tenant.api.post(TRIGGER)));
    expect(statuses(many)).toEqual({ 200: 30 });
    expect(many[0]?.headers.get("ratelimit-limit")).toBeNull();
  });

  it("O4 does not count health, metrics, schemas, the reference and the start page", async () => {
    const address = newAddress();
    const paths = [
      "/health",
      "/health/ready",
      "/metrics",
      "/schemas/Me.json",
      "/docs",
      "/openapi.json",
      "/",
      "/nothing",
    ];
    const client = makeClient(world.url, { "x-forwarded-for": address });
    for (const path of paths) {
      const responses = await Promise.all(Array.from({ length: 4 }, () => client.get(path)));
      expect(responses.filter((response) => response.status === 429)).toEqual([]);
      expect(responses[0]?.headers.get("ratelimit-limit")).toBeNull();
    }
    expect(await countedOf(address)).toEqual([]);
  });

  it("O4 refuses a flood without a statement", async () => {
    const address = newAddress();
    const flood = (count: number) => sendAll(count, "GET", ME, () => ({ "x-forwarded-for": address }));
    await flood(33);
    await flood(3); // now each of the three has refused once
    const before = await countedOf(address);
    const holder = new pg.Client(world.connection);
    await holder.connect();
    await holder.query("begin; lock table ip_counters, api_key_secrets, sessions in access exclusive mode");
    try {
      // A statement would wait for the lock, and end in 503.
      expect(statuses(await flood(30))).toEqual({ 429: 30 });
    } finally {
      await holder.query("rollback");
      await holder.end();
    }
    expect(await countedOf(address)).toEqual(before);
  });

  it("O4 deletes empty counters, and no others", async () => {
    const [old, fresh] = [newAddress(), newAddress()];
    const call = (address: string) => sendAll(1, "GET", ME, () => ({ "x-forwarded-for": address }));
    await call(old);
    await world.clock.pass("121s");
    await call(fresh);
    await world.tick("remove-old-rows");
    expect([(await countedOf(old)).length, (await countedOf(fresh)).length]).toEqual([0, 1]);
  });
});
