import { beforeAll, describe, expect, it } from "vitest";
import { seedWorkflow } from "../../../../test/seed/seed-workflow-run.ts";
import { jobStep, waitStep } from "../../../../test/seed/workflow-definition.ts";
import { runSql } from "../../../../test/world/database.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** More than one page of them. */
const RUNS = sizeOf(200, 10_000);
const TENTH = RUNS / 10;

/** Runs that wait for an event after a completed step; in every tenth, the last step has started as well. */
const SEED = `
  with seeded as materialized (
    select nth, ($4::text || lpad(to_hex(nth), 8, '0'))::uuid as id,
      ($5::text || lpad(to_hex(nth), 8, '0'))::uuid as wait_id, ($6::text || lpad(to_hex(nth), 8, '0'))::uuid as trigger_id
    from generate_series(1, $7::int) nth
  ),
  env as (select id from environments where project_id = $1 and slug = 'production'),
  runs as (
    insert into workflow_runs (project_id, id, workflow_id, version_id, version, environment_id, status, payload,
      trigger_type, created_by, scheduled_at, started_at, created_at, updated_at)
    select $1, s.id, $2, $3, 1, env.id, 'running', '{}', 'api', 'seed', clock(), clock(), clock(), clock() from seeded s, env
  ),
  steps as (
    insert into step_runs (project_id, id, workflow_run_id, step_ref, position, type, status, prev_status,
      event_trigger_id, started_at, finished_at, created_at, updated_at)
    select $1, gen_random_uuid(), s.id, 'a', 0, 'job', 'completed', 'running', null::uuid, clock(), clock(), clock(), clock() from seeded s
    union all
    select $1, s.wait_id, s.id, 'w', 1, 'wait_for_event', 'waiting', 'pending', s.trigger_id, clock(), null, clock(), clock() from seeded s
    union all
    select $1, gen_random_uuid(), s.id, 'z', 2, 'job', case when nth % 10 = 0 then 'skipped' else 'pending' end,
      case when nth % 10 = 0 then 'pending' end, null, null, case when nth % 10 = 0 then clock() end, clock(), clock() from seeded s
  )
  insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
    workflow_run_id, workflow_step_run_id, generation, status, timeout_secs, expires_at, requested_at, created_at, updated_at)
  select $1, s.trigger_id, 'key-' || s.nth, env.id, 'workflow_step', 'event', 'event', s.id, s.wait_id, 1, 'waiting', 3600,
    clock() + interval '1 hour', clock(), clock(), clock() from seeded s, env`;

describe("POST /v1/workflows/{workflowID}/migrate-runs", () => {
  it(`${RUNS} waiting runs: apply does what the dry run predicted, incompatible ones are untouched, waits keep their triggers`, async () => {
    const project = await world.project();
    const steps = [jobStep("a"), waitStep("w", { depends_on: ["a"] }), jobStep("z")];
    const workflow = await seedWorkflow(world.connection, project.id, { steps });
    const prefix = () => newId().slice(0, 28);
    const seeds = [project.id, workflow.id, workflow.version_id, prefix(), prefix(), prefix(), RUNS];
    await runSql(world.connection, SEED, seeds);
    const target = [
      jobStep("new", { depends_on: ["w"] }),
      steps[0],
      steps[1],
      jobStep("last", { depends_on: ["w"], priority: 7 }),
    ];
    await runSql(
      world.connection,
      `insert into workflow_versions (project_id, id, workflow_id, version, steps, created_by, created_at)
       values ($1, $2, $3, 2, $4, 'seed', clock())`,
      [project.id, newId(), workflow.id, JSON.stringify(target)],
    );
    const triggers = "select id, status, expires_at, updated_at from event_triggers where project_id = $1 order by id";
    const before = await runSql(world.connection, triggers, [project.id]);

    const path = `/v1/workflows/${workflow.id}/migrate-runs`;
    const preview = (await project.api.post(path, { to_version: 2 })).body;
    expect(preview.counts).toEqual({ migrated: 0, would_migrate: RUNS - TENTH, incompatible: TENTH, unchanged: 0 });
    const response = await project.api.post(path, { to_version: 2, dry_run: false });
    expect(response.status, response.text).toBe(200);
    const done = response.body;
    expect(done.counts).toEqual({ migrated: RUNS - TENTH, would_migrate: 0, incompatible: TENTH, unchanged: 0 });
    const predicted = preview.results.map((each: { status: string }) =>
      each.status === "would_migrate" ? { ...each, status: "migrated" } : each,
    );
    expect(done.results).toEqual(predicted);

    expect(await runSql(world.connection, triggers, [project.id])).toEqual(before);
    const kept = `select w.version, count(distinct w.id)::int as runs,
        array_agg(distinct s.position || ' ' || s.step_ref || ' ' || s.type order by s.position || ' ' || s.step_ref || ' ' || s.type) as steps
      from workflow_runs w join step_runs s on s.project_id = w.project_id and s.workflow_run_id = w.id
      where w.project_id = $1 group by w.version order by w.version`;
    expect(await runSql(world.connection, kept, [project.id])).toEqual([
      { version: 1, runs: TENTH, steps: ["0 a job", "1 w wait_for_event", "2 z job"] },
      { version: 2, runs: RUNS - TENTH, steps: ["0 new job", "1 a job", "2 w wait_for_event", "3 last job"] },
    ]);
    const again = (await project.api.post(path, { to_version: 2, dry_run: false })).body;
    expect(again.counts).toEqual({ migrated: 0, would_migrate: 0, incompatible: TENTH, unchanged: 0 });
  }, 60_000);
});
