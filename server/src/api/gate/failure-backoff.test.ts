import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { captureStatements } from "../../../test/statements/sent-statements.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newKey } from "../../platform/access/credentials/key-format.ts";
import { flushKeyUses } from "../../platform/access/credentials/key-use.ts";
import { delayMs } from "./failure-backoff.ts";

const statements: string[] = [];
/** An instance runs these statements by itself: whether the database is reachable, and whether others listen. */
const BY_ITSELF = /^select extract\(epoch from clock\(\)\)|has_others/;

let world: World;
let project: TestProject;
let address = 0;
beforeAll(async () => {
  const { stop } = captureStatements((text) => void statements.push(text));
  const rate_limits = { api: 100_000, trigger: 0, bulk_trigger: 0 };
  world = await makeWorld({ config: { trusted_proxies: ["127.0.0.1"], rate_limits } });
  project = await world.project();
  return stop;
});
beforeEach(() => {
  address++;
});

const from = (nth = address) => ({ "x-forwarded-for": `198.51.100.${nth}` });
const call = (key: string, nth?: number) =>
  world.anonymous.get("/v1/me", { headers: { ...from(nth), authorization: `Bearer ${key}` } });
const wrongChecksum = () => {
  const key = newKey();
  return `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
};
/** A wrong credential of each kind. */
const WRONG: (() => Record<string, string>)[] = [
  () => ({ authorization: `Bearer ${newKey()}` }),
  () => ({ authorization: "Bearer junk" }),
  () => ({ "x-internal-secret": "wrong" }),
  () => ({ cookie: "millrace_session=junk" }),
];
const failOfEachKind = () =>
  WRONG.map((headers) => world.anonymous.get("/v1/me", { headers: { ...from(), ...headers() } }));

describe("failed authentications of an address", () => {
  it("A2 of any kind get 401, then 429 with Retry-After; valid credentials from there never do", async () => {
    const { key } = await project.newKey();
    const [cookie = ""] = (await world.admin.post("/v1/session", { api_key: project.key })).headers.getSetCookie();
    const good = () => [
      ...Array.from({ length: 10 }, () => call(project.key)),
      call(key),
      world.anonymous.get("/v1/me", { headers: { ...from(), cookie: cookie.split(";")[0] ?? "" } }),
    ];
    const statuses: number[] = [];
    // Concurrently: each of the slow ones takes up to two seconds.
    const flood = Array.from({ length: 25 }, failOfEachKind).flat();
    for (const each of flood) void each.then(({ status }) => statuses.push(status));
    const amid = await Promise.all(good());
    expect(amid.map(({ status }) => status)).toEqual(amid.map(() => 200));
    const responses = await Promise.all(flood);
    const counts = [401, 429].map((status) => responses.filter((response) => response.status === status).length);
    expect(counts).toEqual([60, 40]);
    // A 429 is sent at once, the responses before it after their delay.
    expect(statuses.indexOf(429)).toBeLessThan(statuses.lastIndexOf(401));
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: "rate_limited" });
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(Number(refused?.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    const after = await Promise.all(good());
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 200));
    // Counted per address and per minute.
    const next = await Promise.all(failOfEachKind());
    expect(next.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
    expect((await call("svc_junk", 250)).status).toBe(401);
    await world.clock.pass("61s");
    expect((await call("svc_junk")).status).toBe(401);
  });

  it("A2 are forgotten once the database's clock went back by minutes, instead of refused until it catches up", async () => {
    const fail = async () => (await world.anonymous.get("/v1/me", { headers: { ...from(), ...WRONG[1]?.() } })).status;
    await Promise.all(Array.from({ length: 70 }, fail));
    expect(await fail()).toBe(429);
    await world.clock.goBack("2m");
    expect(await fail()).toBe(401);
  });

  it("A2 slow down: the eleventh waits, and later ones longer", () => {
    expect([1, 10, 11, 12, 13, 50, 60].map(delayMs)).toEqual([0, 0, 50, 100, 150, 2_000, 2_000]);
  });

  it("A2 do not include requests without a credential, or valid credentials that are forbidden", async () => {
    const send = () => world.anonymous.get("/v1/me", { headers: from() });
    expect((await Promise.all(Array.from({ length: 70 }, send))).every(({ status }) => status === 401)).toBe(true);
    const { key } = await project.newKey({ scopes: ["jobs:read"] });
    const forbidden = () => world.anonymous.get("/v1/runs", { headers: { ...from(), authorization: `Bearer ${key}` } });
    expect((await Promise.all(Array.from({ length: 70 }, forbidden))).every(({ status }) => status === 403)).toBe(true);
    expect((await call("svc_junk")).status).toBe(401);
  });

  it("A2 are not limited where the limits are off", async () => {
    const off = await world.anotherInstance({ rate_limits: { api: 0, trigger: 0, bulk_trigger: 0 } });
    const send = () => off.anonymous.get("/v1/me", { headers: { ...from(), authorization: "Bearer svc_junk" } });
    const responses = await Promise.all(Array.from({ length: 70 }, send));
    expect(responses.every(({ status }) => status === 401)).toBe(true);
  });
});

describe("a key with a wrong checksum", () => {
  it("A2 costs no statement, neither for the lookup nor for the limits", async () => {
    const { api } = await world.project();
    await api.get("/v1/me");
    await flushKeyUses(world.ctx); // as it would some seconds later
    statements.length = 0;
    for (let n = 0; n < 5; n++) expect((await call(wrongChecksum())).status).toBe(401);
    const posted = await world.anonymous.post(
      "/v1/jobs",
      { name: "x" },
      { headers: { ...from(), authorization: `Bearer ${wrongChecksum()}` } },
    );
    expect(posted.status).toBe(401);
    expect(statements.filter((text) => !BY_ITSELF.test(text))).toEqual([]);
    // The watcher works: it sees a statement.
    expect((await call(newKey())).status).toBe(401);
    expect(statements.some((text) => text.includes("api_key_secrets"))).toBe(true);
    expect(statements.some((text) => text.includes("ip_counters"))).toBe(true);
  });
});
