import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow } from "../../../test/seed/make-workflow.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

async function makeSource(fields: object = {}, { api } = project) {
  const response = await api.post("/v1/event-sources", { name: `Source ${newId()}`, ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return response.body as { id: string; slug: string };
}

async function subscribe(source: { id: string }, fields: object, { api } = project) {
  const response = await api.post(`/v1/event-sources/${source.id}/subscriptions`, fields);
  if (response.status !== 201) throw new Error(response.text);
  return response.body as { id: string };
}

const dispatch = (body: object, { api } = project) => api.post("/v1/events/dispatch", body);
const runsOf = (event: { id: string }) =>
  runSql(world.connection, "select * from runs where created_by = $1 order by id", [`event:${event.id}`]);

describe("POST /v1/events/dispatch", () => {
  it("T17 received_by_id distinguishes two keys with the same name, also when one replays the event", async () => {
    const source = await makeSource();
    const [one, other] = [await project.newKey({ name: "twin" }), await project.newKey({ name: "twin" })];
    const { body } = await dispatch({ source: source.slug }, { ...project, api: one.api });
    expect(body).toMatchObject({ received_by: "twin", received_by_id: one.id });
    const at = `/v1/event-sources/${source.id}/events/${body.id}`;
    expect((await project.api.get(at)).body.received_by_id).toBe(one.id);
    const replayed = await other.api.post(`${at}/replay`);
    expect(replayed.body).toMatchObject({ received_by: "twin", received_by_id: other.id });
  });

  it("T17 starts jobs and workflows whose filter matches, and returns the result of each", async () => {
    const source = await makeSource();
    const [job, workflow] = [await makeJob(project), await makeWorkflow(project)];
    const first = await subscribe(source, { job_id: job.id, filter: "event.type == 'paid' && payload.total > 10.0" });
    const second = await subscribe(source, { workflow_id: workflow.slug });
    const third = await subscribe(source, { job_id: job.slug, filter: "payload.total > 1000.0" });
    const fourth = await subscribe(source, { job_id: job.id, filter: "payload.nothing == 1" });
    const fifth = await subscribe(source, { job_id: job.id, enabled: false });
    const { status, body } = await dispatch({ source: source.slug, type: "paid", payload: { total: 20 } });
    expect([status, body]).toMatchObject([
      201,
      {
        source_id: source.id,
        status: "dispatched",
        type: "paid",
        duplicate: false,
        matched: 2,
        started: 2,
        failed: 1,
        chain_depth: 1,
        results: [
          { subscription_id: first.id, outcome: "started", run_id: expect.any(String), workflow_run_id: null },
          { subscription_id: second.id, outcome: "started", run_id: null, workflow_run_id: expect.any(String) },
          { subscription_id: third.id, outcome: "not_matched", run_id: null, error: null },
          {
            subscription_id: fourth.id,
            outcome: "failed",
            error: { code: "filter_failed", message: "No such key: nothing" },
          },
          { subscription_id: fifth.id, outcome: "disabled" },
        ],
      },
    ]);
    const run = await project.api.get(`/v1/runs/${body.results[0].run_id}`);
    expect(run.body).toMatchObject({ trigger_type: "event", payload: { total: 20 }, created_by: `event:${body.id}` });
    const workflowRun = await project.api.get(`/v1/workflow-runs/${body.results[1].workflow_run_id}`);
    expect(workflowRun.body).toMatchObject({ trigger_type: "event", payload: { total: 20 } });
  });

  it("T17 renders payload and key templates over the event", async () => {
    const source = await makeSource();
    const job = await makeJob(project);
    await subscribe(source, {
      job_id: job.id,
      payload: { order: "{{payload.order}}", text: "{{event.type}} of {{event.source}}", by: "{{event.metadata.by}}" },
      concurrency_key: "order-{{payload.order.id}}",
    });
    const { body } = await dispatch({
      source: source.id,
      type: "paid",
      payload: { order: { id: 7 } },
      metadata: { by: "shop" },
    });
    expect((await project.api.get(`/v1/runs/${body.results[0].run_id}`)).body).toMatchObject({
      payload: { order: { id: 7 }, text: `paid of ${source.slug}`, by: "shop" },
      concurrency_key: "order-7",
      metadata: { event_source_id: source.id, source_event_id: body.id },
    });
    const missing = await dispatch({ source: source.id, type: "paid", payload: {} });
    expect(missing.body.results[0]).toMatchObject({ outcome: "failed", error: { code: "template_path_missing" } });
    expect(missing.body).toMatchObject({ matched: 1, started: 0, failed: 1 });
  });

  it("T17 returns 200 with the earlier event for a repeated id and starts nothing, until its window has passed", async () => {
    const other = await world.project();
    const source = await makeSource({ dedup_window_secs: 60 }, other);
    const job = await makeJob(other);
    await subscribe(source, { job_id: job.id }, other);
    await world.clock.set("2030-01-01T00:00:00Z");
    const first = await dispatch({ source: source.id, id: "evt-1", payload: { a: 1 } }, other);
    const again = await dispatch({ source: source.id, id: "evt-1", payload: { a: 2 } }, other);
    expect([again.status, again.body.id, again.body.duplicate]).toEqual([200, first.body.id, true]);
    expect(again.body.results).toEqual(first.body.results);
    await world.clock.pass("61s");
    const later = await dispatch({ source: source.id, id: "evt-1", payload: { a: 3 } }, other);
    expect([later.status, later.body.duplicate]).toEqual([201, false]);
    const without = await makeSource({ dedup_window_secs: 0 }, other);
    const responses = [
      await dispatch({ source: without.id, id: "x" }, other),
      await dispatch({ source: without.id, id: "x" }, other),
    ];
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
  });

  it("T17 starts runs for exactly one of twenty concurrent events with the same id", async () => {
    const source = await makeSource();
    const job = await makeJob(project);
    await subscribe(source, { job_id: job.id });
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => dispatch({ source: source.id, id: "race", payload: { n } })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    expect(await runsOf(responses[0]?.body)).toHaveLength(1);
  });

  it("T17 writes the event, its id and all its runs in one transaction", async () => {
    const source = await makeSource();
    const [job, workflow] = [await makeJob(project), await makeWorkflow(project)];
    await subscribe(source, { job_id: job.id });
    await subscribe(source, { workflow_id: workflow.id });
    const broken = `alter table source_events add constraint broken check (type <> 'breaks')`;
    await runSql(world.connection, broken);
    const failed = await dispatch({ source: source.id, type: "breaks", id: "whole" });
    expect(failed.status).toBe(500);
    await runSql(world.connection, "alter table source_events drop constraint broken");
    const count = async (table: string, column: string, id: string) =>
      (await runSql(world.connection, `select 1 from ${table} where ${column} = $1`, [id])).length;
    expect([await count("runs", "job_id", job.id), await count("workflow_runs", "workflow_id", workflow.id)]).toEqual([
      0, 0,
    ]);
    expect(await count("source_event_ids", "source_id", source.id)).toBe(0);
    const again = await dispatch({ source: source.id, type: "breaks", id: "whole" });
    expect([again.status, again.body.started]).toEqual([201, 2]);
  });

  it("T17 422 with locations when the payload does not match the schema of the source, and records it", async () => {
    const payload_schema = { type: "object", required: ["total"], properties: { total: { type: "number" } } };
    const source = await makeSource({ payload_schema });
    const refused = await dispatch({ source: source.id, id: "e1", payload: { total: "x" } });
    expect([refused.status, refused.body.code, refused.body.errors[0].location]).toEqual([
      422,
      "payload_invalid",
      "body.payload.total",
    ]);
    const { data } = (await project.api.get(`/v1/event-sources/${source.id}/events`)).body;
    expect(data).toMatchObject([
      { status: "rejected", event_id: "e1", error: { code: "payload_invalid" }, matched: 0 },
    ]);
    // The corrected event is accepted under the same id: a rejected one does not use it up.
    expect((await dispatch({ source: source.id, id: "e1", payload: { total: 1 } })).status).toBe(201);
    await project.api.patch(`/v1/event-sources/${source.id}`, { payload_schema: null });
    expect((await dispatch({ source: source.id, payload: { total: "x" } })).status).toBe(201);
  });

  it("T17 dispatches to the others when one subscription's job rejects it: disabled, schema, deleted, dedup", async () => {
    const source = await makeSource();
    const [good, disabled, deleted] = [await makeJob(project), await makeJob(project), await makeJob(project)];
    const strict = await makeJob(project, { payload_schema: { type: "object", required: ["missing"] } });
    const dedup = await makeJob(project, { dedup_window_secs: 60 });
    for (const job_id of [disabled.id, deleted.id, strict.id, dedup.id, dedup.id, good.id])
      await subscribe(source, { job_id });
    await project.api.patch(`/v1/jobs/${disabled.id}`, { enabled: false });
    await project.api.delete(`/v1/jobs/${deleted.id}`);
    const { body } = await dispatch({ source: source.id, payload: { a: 1 } });
    expect(
      body.results.map((result: { outcome: string; error: { code: string } | null }) => [
        result.outcome,
        result.error?.code,
      ]),
    ).toEqual([
      ["failed", "job_disabled"],
      ["failed", "not_found"],
      ["failed", "payload_invalid"],
      ["started", undefined],
      ["existing", undefined],
      ["started", undefined],
    ]);
    expect(body.results[4].run_id).toBe(body.results[3].run_id);
    expect(body).toMatchObject({ matched: 6, started: 2, failed: 3 });
  });

  it("T17 reports an exhausted budget for each run it rejects", async () => {
    const poor = await world.project();
    const source = await makeSource({}, poor);
    const [cheap, dear] = [
      await makeJob(poor, { estimated_cost_microusd: 10 }),
      await makeJob(poor, { estimated_cost_microusd: 1_000_000 }),
    ];
    await subscribe(source, { job_id: dear.id }, poor);
    await subscribe(source, { job_id: cheap.id }, poor);
    await runSql(
      world.connection,
      `insert into project_budgets (project_id, monthly_budget_microusd, action, thresholds, period_starts_at, created_at, updated_at)
       values ($1, 100000, 'block', '{}', clock(), clock(), clock())`,
      [poor.id],
    );
    const { body } = await dispatch({ source: source.id }, poor);
    expect(body.results).toMatchObject([
      { outcome: "failed", error: { code: "budget_exceeded" } },
      { outcome: "started" },
    ]);
  });

  it("T17 creates runs of a paused job as blocked", async () => {
    const source = await makeSource();
    const job = await makeJob(project);
    await subscribe(source, { job_id: job.id });
    await project.api.post(`/v1/jobs/${job.id}/pause`);
    const { body } = await dispatch({ source: source.id });
    const [queued] = await runSql(world.connection, "select blocked_on from run_queue where run_id = $1", [
      body.results[0].run_id,
    ]);
    expect(queued).toEqual({ blocked_on: `paused_job:${job.id}` });
  });

  it("T17 409 for a disabled source, 422 for an unknown one, 403 without events:send", async () => {
    const source = await makeSource({ enabled: false });
    const refused = await dispatch({ source: source.id });
    expect([refused.status, refused.body.code]).toEqual([409, "event_source_disabled"]);
    const unknown = await dispatch({ source: newId() });
    expect([unknown.status, unknown.body.errors[0].location]).toEqual([422, "body.source"]);
    const otherProject = await world.project();
    expect((await dispatch({ source: source.id }, otherProject)).status).toBe(422);
    const { api } = await project.newKey({ scopes: ["events:read", "events:write"] });
    expect((await api.post("/v1/events/dispatch", { source: source.id })).body.code).toBe("scope_missing");
  });

  it("T17 dispatches for a key bound to an environment only to subscriptions of that environment", async () => {
    const source = await makeSource();
    const job = await makeJob(project);
    const idOf = async (slug: string) => (await project.api.get(`/v1/environments/${slug}`)).body.id as string;
    const [staging, production] = [await idOf("staging"), await idOf("production")];
    const inStaging = await subscribe(source, { job_id: job.id, environment_id: staging });
    await subscribe(source, { job_id: job.id, environment_id: production });
    const bound = await project.newKey({ environment_id: staging });
    const { body } = await dispatch({ source: source.id }, { ...project, api: bound.api });
    expect(body.results).toMatchObject([{ subscription_id: inStaging.id, outcome: "started" }]);
    expect(await runsOf(body)).toMatchObject([{ environment_id: staging }]);
    const whole = await dispatch({ source: source.id });
    const seen = await bound.api.get(`/v1/event-sources/${source.id}/events/${whole.body.id}`);
    expect([whole.body.results.length, seen.body.results.length]).toEqual([2, 1]);
  });

  it("T17 stops a source that triggers itself after fifty events, with the reason in the response and in the list", async () => {
    const source = await makeSource();
    const job = await makeJob(project);
    await subscribe(source, { job_id: job.id });
    let parent: { parent_run_id?: string } = {};
    for (const depth of [1, 2, 49, 50]) {
      // As if it had gone on from the second to the 48th.
      const skip = "update source_events set chain_depth = 48 where source_id = $1 and chain_depth = 2";
      if (depth === 49) await runSql(world.connection, skip, [source.id]);
      const { status, body } = await dispatch({ source: source.id, ...parent });
      expect([status, body.chain_depth]).toEqual([201, depth]);
      parent = { parent_run_id: body.results[0].run_id };
    }
    const stopped = await dispatch({ source: source.id, ...parent });
    expect([stopped.status, stopped.body.code]).toEqual([422, "event_chain_too_long"]);
    const { data } = (await project.api.get(`/v1/event-sources/${source.id}/events?status=rejected`)).body;
    expect(data).toMatchObject([{ chain_depth: 51, started: 0, error: { code: "event_chain_too_long" }, ...parent }]);
  });

  it("T17 continues the chain through children and through the steps of workflows", async () => {
    const source = await makeSource();
    const job = await makeJob(project);
    const workflow = await makeWorkflow(project, { steps: [{ step_ref: "work", type: "job", job_id: job.id }] });
    await subscribe(source, { workflow_id: workflow.id });
    const first = await dispatch({ source: source.id });
    await world.tick("start-due-workflow-runs");
    const [step] = await runSql<{ id: string }>(world.connection, "select id from runs where workflow_run_id = $1", [
      first.body.results[0].workflow_run_id,
    ]);
    const child = await seedRun(world.connection, project.id, { parent_run_id: step?.id ?? "" });
    expect((await dispatch({ source: source.id, parent_run_id: child })).body.chain_depth).toBe(2);
    expect((await dispatch({ source: source.id, parent_run_id: newId() })).body.errors[0].location).toBe(
      "body.parent_run_id",
    );
  });
});
