import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { makeWorld, type TestProject, type World } from "../../test/world.ts";
import { newKey } from "../platform/access/key-format.ts";
import { flushKeyUses } from "../platform/access/key-use.ts";

const statements: string[] = [];
/** An instance asks these by itself, whoever asks it: whether the database is there, and whether others listen. */
const BY_ITSELF = /^select extract\(epoch from clock\(\)\)|has_others/;

let world: World;
let project: TestProject;
let address = 0;
beforeAll(async () => {
  const { query } = pg.Client.prototype;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    const [asked] = given as [string | { text?: string }];
    statements.push(typeof asked === "string" ? asked : (asked.text ?? ""));
    return (query as (...all: unknown[]) => unknown).apply(this, given) as never;
  });
  afterAll(() => spy.mockRestore());
  const rate_limits = { api: 100_000, trigger: 0, bulk_trigger: 0 };
  world = await makeWorld({ config: { trusted_proxies: ["127.0.0.1"], rate_limits } });
  project = await world.project();
});
beforeEach(() => {
  address++;
});

const from = (nth = address) => ({ "x-forwarded-for": `198.51.100.${nth}` });
const ask = (key: string, nth?: number) =>
  world.anonymous.get("/v1/me", { headers: { ...from(nth), authorization: `Bearer ${key}` } });
const wrongChecksum = () => {
  const key = newKey();
  return `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
};
/** So many failures, one after the other; the slow ones at once, so that the test is not. */
async function fail(count: number) {
  return Promise.all(Array.from({ length: count }, () => ask("svc_junk")));
}

describe("failed authentications of an address", () => {
  it("A2 are answered with 401 at first, later and later, and then with 429 and Retry-After", async () => {
    const answers = await fail(70);
    const counts = [401, 429].map((status) => answers.filter((answer) => answer.status === status).length);
    expect(counts).toEqual([60, 10]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: "rate_limited" });
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(Number(refused?.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  });

  it("A2 slow down: the eleventh waits, the tenth does not", async () => {
    await fail(9);
    const timed = async () => {
      const began = performance.now();
      await ask("svc_junk");
      return performance.now() - began;
    };
    await timed();
    for (let nth = 11; nth < 14; nth++) expect(await timed()).toBeGreaterThanOrEqual((nth - 10) * 50 - 5);
  });

  it("A2 are no hindrance to a good credential from the same address, in the middle of a flood", async () => {
    const { key } = await project.newKey();
    const cookie = (await world.admin.post("/v1/session", { api_key: project.key })).headers.get("set-cookie") ?? "";
    const flood = fail(200);
    const good = await Promise.all([
      ...Array.from({ length: 20 }, () => ask(project.key)),
      ask(key),
      world.anonymous.get("/v1/me", { headers: { ...from(), cookie: cookie.split(";")[0] ?? "" } }),
    ]);
    expect(good.map(({ status }) => status)).toEqual(good.map(() => 200));
    expect((await flood).filter(({ status }) => status === 429)).toHaveLength(140);
    expect((await ask(key)).status).toBe(200);
  });

  it("A2 are forgotten after a minute, and another address has its own count", async () => {
    await fail(61);
    expect((await ask("svc_junk")).status).toBe(429);
    expect((await ask("svc_junk", 250)).status).toBe(401);
    await world.clock.pass("61s");
    expect((await ask("svc_junk")).status).toBe(401);
  });

  it.each([
    ["an unknown key", () => ({ authorization: `Bearer ${newKey()}` })],
    ["a wrong internal secret", () => ({ "x-internal-secret": "wrong" })],
    ["a session nobody has", () => ({ cookie: "millrace_session=junk" })],
    ["a junk bearer", () => ({ authorization: "Bearer junk" })],
  ])("A2 count for %s, too", async (_, credential: () => Record<string, string>) => {
    const send = () => world.anonymous.get("/v1/me", { headers: { ...from(), ...credential() } });
    const answers = await Promise.all(Array.from({ length: 61 }, send));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  it("A2 are none when nothing was shown, and when a good credential may not", async () => {
    const send = () => world.anonymous.get("/v1/me", { headers: from() });
    expect((await Promise.all(Array.from({ length: 70 }, send))).every(({ status }) => status === 401)).toBe(true);
    const { key } = await project.newKey({ scopes: ["jobs:read"] });
    const forbidden = () => world.anonymous.get("/v1/runs", { headers: { ...from(), authorization: `Bearer ${key}` } });
    expect((await Promise.all(Array.from({ length: 70 }, forbidden))).every(({ status }) => status === 403)).toBe(true);
  });

  it("A2 are not slowed where the limits are off", async () => {
    const off = await world.anotherInstance({ rate_limits: { api: 0, trigger: 0, bulk_trigger: 0 } });
    const send = () => off.anonymous.get("/v1/me", { headers: { ...from(), authorization: "Bearer svc_junk" } });
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 70 }, send));
    expect(answers.every(({ status }) => status === 401)).toBe(true);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

describe("a key with a wrong checksum", () => {
  it("A2 costs no statement, neither for the look-up nor for the limits", async () => {
    const { api } = await world.project();
    await api.get("/v1/me");
    await flushKeyUses(world.ctx); // which it would do some seconds later
    statements.length = 0;
    for (let n = 0; n < 5; n++) expect((await ask(wrongChecksum())).status).toBe(401);
    const posted = await world.anonymous.post(
      "/v1/jobs",
      { name: "x" },
      { headers: { ...from(), authorization: `Bearer ${wrongChecksum()}` } },
    );
    expect(posted.status).toBe(401);
    expect(statements.filter((text) => !BY_ITSELF.test(text))).toEqual([]);
    // The watcher sees what it is there to see.
    expect((await ask(newKey())).status).toBe(401);
    expect(statements.some((text) => text.includes("api_key_secrets"))).toBe(true);
    expect(statements.some((text) => text.includes("ip_counters"))).toBe(true);
  });
});
