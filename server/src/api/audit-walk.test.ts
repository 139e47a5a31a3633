import { beforeAll, describe, expect, it } from "vitest";
import { fingerprintsOf } from "../../test/oracles/fingerprint.ts";
import { sendHttp } from "../../test/outside/http-request.ts";
import { actorIn, auditedRequest, NOT_AUDITED } from "../../test/requests/audited-requests.ts";
import { eachOf } from "../../test/requests/walk-routes.ts";
import { runSql } from "../../test/world/database.ts";
import { makeWorld, type World } from "../../test/world/world.ts";
import { whenProgressed } from "../flow/workflows/progress/progress-soon.ts";
import { sequenceChanges } from "../platform/changelog/sequence-changes.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
/** Every route that may change something on behalf of a caller. SDK routes belong to a run. */
const changing = allRoutes.filter(({ method, auth }) => method !== "GET" && auth.kind !== "run");
const audited = changing.filter((route) => !(nameOf(route) in NOT_AUDITED));

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  // A change that cannot be audited must not happen: the database rejects the audit event of such a request.
  await runSql(
    world.connection,
    "alter table audit_events add constraint cannot_be_recorded check (request_id is null or request_id not like 'unrecorded%')",
  );
});

type Sent = Awaited<ReturnType<typeof auditedRequest>>;

async function send({ method, path, headers, body }: Sent, request_id: string) {
  const all = {
    "content-type": "application/json",
    "user-agent": "audit-walk/1.0",
    ...headers,
    "x-request-id": request_id,
  };
  return sendHttp(world.url, {
    method,
    path,
    headers: all,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

const eventsOf = (request_id: string) =>
  runSql<Record<string, unknown>>(world.connection, "select * from audit_events where request_id = $1", [request_id]);

describe("every route that changes something", { timeout: 180_000 }, () => {
  it("A12 leaves exactly one audit event, and changes nothing when that cannot be recorded", async () => {
    const requests: [Route, Sent][] = [];
    await eachOf(audited, async (route) => void requests.push([route, await auditedRequest(world, route)]));
    expect(await failuresUnrecorded(requests)).toEqual([]);
    const wrong: string[] = [];
    await eachOf(requests, async ([route, request]) => void wrong.push(...(await failuresRecorded(route, request))));
    expect(wrong).toEqual([]);
    expect(audited.length).toBeGreaterThanOrEqual(70);
  });

  /** The change and its audit event are in one transaction: if one fails, neither is stored. */
  async function failuresUnrecorded(requests: [Route, Sent][]): Promise<string[]> {
    // Each has a project of its own, except for the route that creates one: it changes no existing project.
    const sent = requests.filter(([{ path }]) => path !== "/v1/projects");
    const owners = new Map(sent.map(([route, { project }]) => [project.id, nameOf(route)]));
    await whenProgressed(world.ctx);
    await sequenceChanges(world.ctx); // otherwise a consumer might do so between the two fingerprints
    const before = await fingerprintsOf(world.connection, [...owners.keys()]);
    const wrong: string[] = [];
    await eachOf(sent, async ([route, request]) => {
      const { status, body } = await send(request, "unrecorded");
      if (status !== 500) wrong.push(`${nameOf(route)}: ${status} ${body.slice(0, 200)}`);
    });
    const after = await fingerprintsOf(world.connection, [...owners.keys()]);
    const names = [...new Set([...before.keys(), ...after.keys()])];
    const changed = names.filter((name) => after.get(name) !== before.get(name)).map((name) => name.split(" "));
    return [...wrong, ...changed.map(([id = "", table]) => `${owners.get(id)}: changed ${table}`)];
  }

  /** The event records who did what to which object, from where and by which request. */
  async function failuresRecorded(route: Route, request: Sent): Promise<string[]> {
    const request_id = `walk ${nameOf(route)}`.slice(0, 128);
    const response = await send(request, request_id);
    if (response.status >= 300) return [`${nameOf(route)}: ${response.status} ${response.body.slice(0, 300)}`];
    const events = await eventsOf(request_id);
    if (events.length !== 1) return [`${nameOf(route)}: ${events.length} events`];
    const [event] = events;
    const actor = route.auth.kind === "internal" ? { actor_kind: "internal_secret" } : actorIn(request.project);
    expect(event, nameOf(route)).toMatchObject({
      ...actor,
      action: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/),
      resource_type: expect.stringMatching(/^[a-z_]+$/),
      resource_id: expect.stringMatching(/./),
      ip: "127.0.0.1",
      user_agent: "audit-walk/1.0",
    });
    // Erased data must not appear.
    const recordsNothing = event?.before === null && event.after === null && !route.path.endsWith("/data");
    return recordsNothing ? [`${nameOf(route)}: neither before nor after`] : [];
  }

  it("A12 is either audited or listed as unaudited, with the reason", () => {
    const names = new Set(changing.map(nameOf));
    expect(Object.keys(NOT_AUDITED).filter((name) => !names.has(name))).toEqual([]);
    for (const reason of Object.values(NOT_AUDITED)) expect(reason.length).toBeGreaterThan(10);
  });
});
