import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../test/database.ts";
import { edgeRoutes } from "../../test/edge-routes.ts";
import { type HttpResponse, sendHttp } from "../../test/http-request.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../test/world.ts";

const LIMITS = { api: 30, trigger: 10, bulk_trigger: 12 };
const TRIGGER = "/v1/test/trigger";
const BULK = "/v1/test/bulk-trigger";
const WIDE = { requests_per_minute: 120_000, triggers_per_minute: 120_000, bulk_per_minute: 120_000 };

let world: World;
let project: TestProject;
let instances: Instance[];
let addresses = 0;
beforeAll(async () => {
  world = await makeWorld({ config: { rate_limits: LIMITS, trusted_proxies: ["127.0.0.1"] }, routes: edgeRoutes });
  instances = [world, await world.anotherInstance()];
  await world.clock.set("2030-01-01T00:00:00Z");
  project = await world.project();
});

/** A client at an address of its own. */
function newClient() {
  const address = `198.51.100.${++addresses}`;
  return (count: number, path: string, key: string | undefined): Promise<HttpResponse[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) => {
        const { url } = instances[index % instances.length] ?? world;
        const headers = { "x-forwarded-for": address, ...(key && { authorization: `Bearer ${key}` }) };
        return sendHttp(url, { method: "POST", path, headers });
      }),
    );
}

function statuses(responses: HttpResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function refusalOf(responses: HttpResponse[]): string {
  const refused = responses.find(({ status }) => status === 429);
  return refused ? JSON.parse(refused.body).detail : "none";
}

describe("a key with limits of its own", () => {
  it("O4 triggers far beyond the limits of its address, which it does not use up", async () => {
    const send = newClient();
    const { key } = await project.newKey({ rate_limits: WIDE });
    for (const path of [TRIGGER, BULK]) {
      const responses = await send(20 * LIMITS.trigger, path, key);
      expect(statuses(responses)).toEqual({ 200: 200 });
      expect(responses[0]?.headers["ratelimit-limit"]).toBe("120000");
    }
    expect(statuses(await send(5, TRIGGER, project.key))).toEqual({ 200: 5 });
  });

  it("O4 is admitted from an address that is refused, also where it was never seen", async () => {
    const send = newClient();
    expect(statuses(await send(30, TRIGGER, project.key))[429]).toBe(20);
    const { key } = await project.newKey({ rate_limits: WIDE });
    expect(statuses(await send(50, TRIGGER, key))).toEqual({ 200: 50 });
    expect(statuses(await send(4, TRIGGER, project.key))).toEqual({ 429: 4 });
  });

  it("O4 is refused beyond them, exactly and over all instances, with the field in the message", async () => {
    const { key } = await project.newKey({ rate_limits: { triggers_per_minute: 7, requests_per_minute: 1_000 } });
    const responses = [...(await newClient()(10, TRIGGER, key)), ...(await newClient()(11, TRIGGER, key))];
    expect(statuses(responses)).toEqual({ 200: 7, 429: 14 });
    expect(refusalOf(responses)).toMatch(
      /^At most 7 triggers a minute with this API key\. .* rate_limits\.triggers_per_minute of the key/,
    );
  });

  it("O4 never exceeds high ones, which are counted in shares, and uses them up to the last request", async () => {
    const { id, key } = await project.newKey({ rate_limits: { ...WIDE, triggers_per_minute: 6_000 } });
    await runSql(
      world.connection,
      `insert into ip_counters (limit_name, client, admitted, last_second)
       values ('trigger', $1, array_fill(0, array[60]) || 5975, extract(epoch from clock())::bigint)`,
      [`key ${id} 6000`],
    );
    const responses = await newClient()(60, TRIGGER, key);
    const counted = await runSql(
      world.connection,
      "select (select sum(s) from unnest(admitted) s)::int as sum from ip_counters where client = $1 and limit_name = 'trigger'",
      [`key ${id} 6000`],
    );
    expect([statuses(responses), counted]).toEqual([{ 200: 25, 429: 35 }, [{ sum: 6_000 }]]);
  });

  it("O4 keeps the address's limit for what it does not name", async () => {
    const { key } = await project.newKey({ rate_limits: { requests_per_minute: 1_000 } });
    const responses = await newClient()(15, TRIGGER, key);
    expect(statuses(responses)).toEqual({ 200: LIMITS.trigger, 429: 5 });
  });

  it("O4 loses them when it is revoked: its requests then count against its address", async () => {
    const send = newClient();
    const { id, key } = await project.newKey({ rate_limits: WIDE });
    expect((await project.api.delete(`/v1/api-keys/${id}`)).status).toBe(204);
    expect(statuses(await send(14, TRIGGER, key))).toEqual({ 401: LIMITS.trigger, 429: 4 });
  });
});

describe("the limits of the address still apply to everybody else", () => {
  it("O4 a key without limits of its own gets 429 with the setting and the field", async () => {
    const responses = await newClient()(30, TRIGGER, project.key);
    expect(statuses(responses)).toEqual({ 200: LIMITS.trigger, 429: 20 });
    expect(refusalOf(responses)).toMatch(
      /RATE_LIMIT_TRIGGER_PER_MINUTE; an API key can have its own: rate_limits\.triggers_per_minute\.$/,
    );
  });

  it("O4 an anonymous flood is refused", async () => {
    expect(statuses(await newClient()(50, TRIGGER, undefined))).toEqual({ 401: LIMITS.trigger, 429: 40 });
  });
});
