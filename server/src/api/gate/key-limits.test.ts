import { beforeAll, describe, expect, it } from "vitest";
import { type HttpResponse, sendHttp } from "../../../test/outside/http-request.ts";
import { edgeRoutes } from "../../../test/requests/edge-routes.ts";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

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

/** A client at an address of its own, whose requests go to the instances in rotation. */
function newClient(called = instances) {
  const address = `198.51.100.${++addresses}`;
  return (count: number, path: string, key: string | undefined): Promise<HttpResponse[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) => {
        const { url } = called[index % called.length] ?? world;
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

/** As if so many triggers had been counted in this second. */
async function countTriggers(client: string, count: number): Promise<void> {
  await runSql(
    world.connection,
    `insert into ip_counters (limit_name, client, admitted, last_second)
     values ('trigger', $1, array_fill(0, array[60]) || $2::int, extract(epoch from clock())::bigint)`,
    [client, count],
  );
}

async function triggersOf(client: string): Promise<number | undefined> {
  const rows = await runSql<{ sum: number }>(
    world.connection,
    `select (select sum(s) from unnest(admitted) s)::int as sum from ip_counters
     where client = $1 and limit_name = 'trigger'`,
    [client],
  );
  return rows[0]?.sum;
}

describe("a key with limits of its own", () => {
  it("O4 triggers far beyond the limits of its address, which it does not use up", async () => {
    const send = newClient();
    const { key } = await project.newKey({ rate_limits: WIDE });
    for (const path of [TRIGGER, BULK]) {
      const responses = await send(5 * LIMITS.trigger, path, key);
      expect(statuses(responses)).toEqual({ 200: 5 * LIMITS.trigger });
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

  it("O4 names a limit of one in the singular", async () => {
    const { key } = await project.newKey({ rate_limits: { bulk_per_minute: 1, requests_per_minute: 1_000 } });
    expect(refusalOf(await newClient()(2, BULK, key))).toMatch(/^At most 1 bulk trigger a minute /);
  });

  it("O4 never exceeds high ones, which are counted in shares, and uses them up to the last request", async () => {
    const { id, key } = await project.newKey({ rate_limits: { ...WIDE, triggers_per_minute: 6_000 } });
    await countTriggers(`key ${id} 6000`, 5_975);
    const responses = await newClient()(60, TRIGGER, key);
    expect([statuses(responses), await triggersOf(`key ${id} 6000`)]).toEqual([{ 200: 25, 429: 35 }, 6_000]);
  });

  it("O4 gets the remaining count of high ones without what instances hold for requests to come", async () => {
    const { key } = await project.newKey({ rate_limits: WIDE });
    const send = newClient();
    for (let sent = 2; sent <= 10; sent += 2) {
      for (const { headers } of await send(2, TRIGGER, key)) {
        const counted = 120_000 - Number(headers["ratelimit-remaining"]);
        expect(Math.abs(counted - sent)).toBeLessThan(10); // what two instances can hold after so few requests
      }
    }
  });

  it("O4 uses high ones up over all instances: an instance returns what it did not use", async () => {
    const { id, key } = await project.newKey({ rate_limits: { ...WIDE, triggers_per_minute: 6_000 } });
    const client = `key ${id} 6000`;
    await countTriggers(client, 5_800);
    const [first, second] = [newClient([world]), newClient(instances.slice(1))];
    expect(statuses(await first(51, TRIGGER, key))).toEqual({ 200: 51 });
    await until("the rest of the last share to be returned", 20_000, async () => (await triggersOf(client)) === 5_851);
    expect(statuses(await second(160, TRIGGER, key))).toEqual({ 200: 149, 429: 11 });
  });

  it("O4 is counted again a second after high ones refused it, since another instance may have returned some", async () => {
    const { id, key } = await project.newKey({ rate_limits: { ...WIDE, triggers_per_minute: 6_000 } });
    const client = `key ${id} 6000`;
    await countTriggers(client, 6_000);
    const send = newClient([world]);
    expect(statuses(await send(3, TRIGGER, key))).toEqual({ 429: 3 });
    await runSql(world.connection, "update ip_counters set admitted[61] = 5998 where client = $1", [client]);
    await world.clock.pass("2s");
    expect(statuses(await send(3, TRIGGER, key))).toEqual({ 200: 2, 429: 1 });
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
