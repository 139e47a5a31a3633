import { beforeAll, describe, expect, it } from "vitest";
import { makeJob } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

async function makeSource(fields: object = {}) {
  const { body } = await project.api.post("/v1/event-sources", { name: `S ${newId()}`, ...fields });
  return body as { id: string; slug: string };
}

async function subscribe({ id }: { id: string }, fields: object) {
  const response = await project.api.post(`/v1/event-sources/${id}/subscriptions`, fields);
  if (response.status !== 201) throw new Error(response.text);
  return response.body.id as string;
}

const dispatch = async (source: { id: string }, body: object) =>
  (await project.api.post("/v1/events/dispatch", { source: source.id, ...body })).body;

describe("POST /v1/event-sources/{sourceID}/test", () => {
  it("T17 reports which subscriptions match and why, with their input, and starts nothing", async () => {
    const source = await makeSource();
    const job = await makeJob(project);
    const strict = await makeJob(project, { payload_schema: { type: "object", required: ["order"] } });
    const ids = [
      await subscribe(source, {
        job_id: job.id,
        filter: "payload.total > 10.0",
        payload: { sum: "{{payload.total}}" },
      }),
      await subscribe(source, { job_id: job.id, filter: "payload.total > 100.0" }),
      await subscribe(source, { job_id: job.id, filter: "payload.gone == 1" }),
      await subscribe(source, { job_id: job.id, payload: "{{payload.gone}}" }),
      await subscribe(source, { job_id: strict.id }),
      await subscribe(source, { job_id: job.id, enabled: false }),
    ];
    const { status, body } = await project.api.post(`/v1/event-sources/${source.id}/test`, { payload: { total: 20 } });
    expect([status, body]).toMatchObject([200, { errors: [], matched: 3 }]);
    expect(body.subscriptions.map(({ subscription_id }: { subscription_id: string }) => subscription_id)).toEqual(ids);
    expect(body.subscriptions).toMatchObject([
      {
        matched: true,
        would_start: true,
        payload: { sum: 20 },
        reason: "the filter payload.total > 10.0 is true",
        error: null,
      },
      { matched: false, would_start: false, payload: null, reason: "the filter payload.total > 100.0 is false" },
      { matched: false, would_start: false, error: { code: "filter_failed", message: "No such key: gone" } },
      { matched: true, would_start: false, error: { code: "template_path_missing" } },
      { matched: true, would_start: false, error: { code: "payload_invalid" } },
      { matched: false, would_start: false, enabled: false, reason: "the subscription is disabled" },
    ]);
    expect(await runSql(world.connection, "select 1 from runs where project_id = $1", [project.id])).toEqual([]);
    expect((await project.api.get(`/v1/event-sources/${source.id}/events`)).body.data).toEqual([]);
  });

  it("tries a filter and a template before they are saved", async () => {
    const source = await makeSource();
    const tried = async (draft: object) =>
      (await project.api.post(`/v1/event-sources/${source.id}/test`, { payload: { total: 20 }, draft })).body.draft;
    expect(await tried({ filter: "payload.total > 10.0", payload: { sum: "{{payload.total}}" } })).toEqual({
      ...{ matched: true, payload: { sum: 20 }, error: null },
    });
    expect(await tried({ filter: "payload.total > 100.0" })).toEqual({ matched: false, payload: null, error: null });
    expect(await tried({ filter: "payload.total >" })).toMatchObject({ error: { code: "filter_failed" } });
    expect(await tried({ payload: "{{payload.gone}}" })).toMatchObject({ error: { code: "template_path_missing" } });
  });

  it("T17 reports where the payload does not match the source's schema", async () => {
    const source = await makeSource({ payload_schema: { type: "object", required: ["total"] } });
    await subscribe(source, { job_id: (await makeJob(project)).id });
    const { body } = await project.api.post(`/v1/event-sources/${source.id}/test`, { payload: {} });
    expect(body.errors).toHaveLength(1);
    expect(body.subscriptions).toMatchObject([{ matched: true, would_start: false }]);
  });
});

describe("GET /v1/event-sources/{sourceID}/events", () => {
  it("T17 lists events newest first with their counts, by status, page by page", async () => {
    const source = await makeSource();
    await subscribe(source, { job_id: (await makeJob(project)).id, filter: "payload.go" });
    const ids: string[] = [];
    for (const go of [true, false, true]) ids.unshift((await dispatch(source, { payload: { go } })).id);
    const path = `/v1/event-sources/${source.id}/events`;
    const { data } = (await project.api.get(path)).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(data.map(({ started, matched }: Record<string, number>) => [started, matched])).toEqual([
      [1, 1],
      [0, 0],
      [1, 1],
    ]);
    expect(data[0]).not.toHaveProperty("payload");
    const first = (await project.api.get(`${path}?limit=2`)).body;
    const second = (await project.api.get(`${path}?limit=2&cursor=${first.next_cursor}`)).body;
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    expect((await project.api.get(`${path}?status=rejected`)).body.data).toEqual([]);
  });
});

describe("GET /v1/event-sources/{sourceID}/events/{eventID}", () => {
  it("T17 shows an event of this source with the result of each subscription", async () => {
    const [source, other] = [await makeSource(), await makeSource()];
    const id = await subscribe(source, { job_id: (await makeJob(project)).id });
    const event = await dispatch(source, { payload: { a: 1 }, metadata: { b: 2 } });
    const { body } = await project.api.get(`/v1/event-sources/${source.id}/events/${event.id}`);
    expect(body).toMatchObject({
      payload: { a: 1 },
      metadata: { b: 2 },
      results: [{ subscription_id: id, outcome: "started" }],
    });
    expect((await project.api.get(`/v1/event-sources/${other.id}/events/${event.id}`)).status).toBe(404);
    expect((await project.api.get(`/v1/event-sources/${source.id}/events/x`)).status).toBe(404);
  });
});

describe("POST /v1/event-sources/{sourceID}/events/{eventID}/replay", () => {
  it("T17 dispatches the event to the current subscriptions as a new event, and is audited", async () => {
    const source = await makeSource();
    const event = await dispatch(source, { id: "e-1", type: "paid", payload: { a: 1 } });
    expect(event.started).toBe(0);
    await subscribe(source, { job_id: (await makeJob(project)).id, filter: "event.id == 'e-1'" });
    const { status, body } = await project.api.post(`/v1/event-sources/${source.id}/events/${event.id}/replay`);
    expect([status, body]).toMatchObject([
      201,
      { replay_of: event.id, event_id: "e-1", type: "paid", payload: { a: 1 }, started: 1 },
    ]);
    const again = await project.api.post(`/v1/event-sources/${source.id}/events/${event.id}/replay`);
    expect([again.status, again.body.id === body.id, again.body.started]).toEqual([201, false, 1]);
    const audit = await runSql(
      world.connection,
      "select after from audit_events where action = 'event_source.event_replayed' and project_id = $1 order by id",
      [project.id],
    );
    expect(audit).toMatchObject([{ after: { replay_of: event.id, source_event_id: body.id } }, {}]);
    expect((await project.api.post(`/v1/event-sources/${source.id}/events/${newId()}/replay`)).status).toBe(404);
  });

  it("T17 keeps the event's position in its chain: a replay does not bypass the loop guard", async () => {
    const source = await makeSource();
    const event = await dispatch(source, {});
    await runSql(world.connection, "update source_events set chain_depth = 51 where id = $1", [event.id]);
    const refused = await project.api.post(`/v1/event-sources/${source.id}/events/${event.id}/replay`);
    expect(refused.body.code).toBe("event_chain_too_long");
  });
});

describe("retention of source events", () => {
  it("T15 removes events after EVENT_TRIGGER_RETENTION and ids after their window, and frees the id of a removed event", async () => {
    const source = await makeSource({ dedup_window_secs: 2_592_000 });
    const short = await makeSource({ dedup_window_secs: 60 });
    await world.clock.set("2031-01-01T00:00:00Z");
    const old = await dispatch(source, { id: "old" });
    await dispatch(short, { id: "short" });
    await world.clock.pass("2m");
    const young = await dispatch(source, { id: "young" });
    await world.tick("remove-old-rows");
    const left = async () =>
      (
        await runSql<{ id: string }>(
          world.connection,
          "select id from source_events where source_id = $1 order by id",
          [source.id],
        )
      ).map(({ id }) => id);
    expect(await left()).toEqual([old.id, young.id]);
    expect(await runSql(world.connection, "select 1 from source_event_ids where source_id = $1", [short.id])).toEqual(
      [],
    );
    await world.clock.set("2031-01-31T00:00:30Z");
    await world.tick("remove-old-rows");
    expect(await left()).toEqual([young.id]);
    await runSql(
      world.connection,
      "update source_event_ids set expires_at = clock() + interval '1 day' where source_id = $1",
      [source.id],
    );
    await runSql(
      world.connection,
      "insert into source_event_ids values ($1, $2, 'id:old', $3, clock() + interval '1 day') on conflict do nothing",
      [project.id, source.id, old.id],
    );
    const again = await dispatch(source, { id: "old" });
    expect([again.duplicate, again.id === old.id]).toEqual([false, false]);
  });
});
