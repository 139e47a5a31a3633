import { beforeAll, describe, expect, it } from "vitest";
import { beginCompensations } from "../../../src/flow/workflows/compensate/compensate-begin.ts";
import { writeCompensations } from "../../../src/flow/workflows/compensate/compensate-runs.ts";
import { breakDeadlocks } from "../../../src/flow/workflows/maintain/break-deadlocks.ts";
import { applyItemResults } from "../../../src/flow/workflows/map/apply-item-results.ts";
import { cancelItems } from "../../../src/flow/workflows/map/cancel-items.ts";
import { startItems } from "../../../src/flow/workflows/map/start-items.ts";
import { openMaps } from "../../../src/flow/workflows/map/start-maps.ts";
import { writeItems } from "../../../src/flow/workflows/map/write-items.ts";
import { readChildEnds } from "../../../src/flow/workflows/progress/apply-results.ts";
import { endWaitingSteps } from "../../../src/flow/workflows/progress/end-waiting-steps.ts";
import { endWorkflowRuns } from "../../../src/flow/workflows/progress/end-workflow-runs.ts";
import {
  loadOutputs,
  loadPayloads,
  lockWorkflowRuns,
  readSteps,
} from "../../../src/flow/workflows/progress/load-runs.ts";
import type { LoadedRun } from "../../../src/flow/workflows/progress/loaded-run.ts";
import { writeSteps } from "../../../src/flow/workflows/progress/write-steps.ts";
import { createWorkflowRuns } from "../../../src/flow/workflows/start/create-workflow-runs.ts";
import type { NewWorkflowRun } from "../../../src/flow/workflows/start/new-workflow-run.ts";
import { stopChildren } from "../../../src/flow/workflows/stop/cancel-below.ts";
import { lockBelow, stopRunsOf } from "../../../src/flow/workflows/stop/stop-below.ts";
import type { Ctx, InTransaction } from "../../../src/platform/context.ts";
import { newId } from "../../../src/platform/ids.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld, within } from "./plan-world.ts";

let world: World;
beforeAll(async () => {
  world = await makePlanWorld();
});

const project_id = newId();
const run = {
  project_id,
  id: newId(),
  workflow_id: newId(),
  version_id: newId(),
  environment_id: newId(),
  status: "running",
  transition_count: 1,
  has_payload: true,
  payload: {},
  tags: {},
  metadata: {},
  decisions: 0,
  holds_slot: false,
  root_workflow_run_id: null,
  depth: 0,
  traceparent: null,
  planned_end: null,
  stopped: null,
  pause_inherited: false,
};
const step = {
  id: newId(),
  status: "completed",
  was: "running",
  generation: 1,
  error: null,
  cause: null,
  cause_ref: null,
  run_id: newId(),
  event_trigger_id: null,
  ended: null,
} as const;
const loaded = {
  run,
  version: { byRef: new Map(), definition: { steps: [] } },
  isNew: false,
  steps: new Map([["a", step]]),
  outputs: new Map(),
  fresh: new Set(),
  decisions: [{ step_ref: "a", decision_type: "complete", reason: "done" }],
  outbox: [],
  end: null,
  deferred: new Map(),
} as unknown as LoadedRun;

const mapStep = { step_ref: "m", type: "map", items: [], job_id: newId(), payload: null, max_parallel: 5 };
const loadedMap = {
  ...loaded,
  version: { byRef: new Map([["m", { ...mapStep, tolerate_failures: false }]]) },
  steps: new Map([["m", { ...step, status: "running", run_id: null }]]),
  maps: new Map([["m", { scope: {}, total: 9, pending: 9, running: 0, failed: 0, next_index: 0 }]]),
} as unknown as LoadedRun;
const loadedChild = {
  ...loaded,
  steps: new Map([["a", { ...step, status: "running", run_id: null, child_workflow_run_id: newId() }]]),
} as unknown as LoadedRun;

const compensation = { status: "running", run_id: newId(), error: null, was: null } as const;
const undoing = { ...loaded, steps: new Map([["a", { ...step, compensation }]]) } as unknown as LoadedRun;

/** No statement is sent, so the functions see no rows and some throw: the statement has been recorded by then. */
const sends = (work: (tx: Ctx & InTransaction) => Promise<unknown>) => (ctx: Ctx) =>
  work(within(ctx)).catch(() => undefined);

const key = { project_id, workflow_run_id: run.id };
const STATEMENTS: Record<string, (tx: Ctx & InTransaction) => Promise<unknown>> = {
  "locking workflow runs": (tx) => lockWorkflowRuns(tx, [key]),
  "reading steps and the results of their runs": (tx) => readSteps(tx, [key]),
  "reading outputs": (tx) => loadOutputs(tx, [{ loaded, refs: ["b"] }]),
  "writing steps": (tx) => writeSteps(tx, [loaded]),
  "ending steps that wait": (tx) =>
    endWaitingSteps(tx, project_id, [
      {
        workflow_run_id: run.id,
        step_run_id: step.id,
        trigger_id: newId(),
        generation: 1,
        result: { kind: "completed", output: 1 },
      },
    ]),
  "reading large payloads": (tx) => loadPayloads(tx, [{ ...loaded, run: { ...run, has_payload: false } }]),
  "applying the results of items": (tx) => applyItemResults(tx, [loadedMap]),
  "reading and starting items": (tx) => startItems(tx, [loadedMap]),
  "writing items": (tx) => writeItems(tx, [{ loaded: loadedMap, step_ref: "m", item_index: 0, status: "running" }]),
  "canceling items": (tx) => cancelItems(tx, [{ ...key, step_ref: "m", reason: "why", keeps: false }]),
  "retrying failed items": (tx) => openMaps(tx, [{ ...key, step_ref: "m", generation: 2, scope: {}, items: [] }]),
  "reading the ends of children": (tx) => readChildEnds(tx, [loadedChild]),
  "stopping children": (tx) => stopChildren(tx, [{ ...key, refs: ["m"], reason: "why" }]),
  "locking descendants": (tx) => lockBelow(tx, { project_id, workflow_run_ids: [run.id] }),
  "stopping the runs of workflow runs": (tx) => stopRunsOf(tx, project_id, [run.id], "cancel"),
  "beginning compensations": (tx) =>
    beginCompensations(tx, [
      { run, status: "failed", error: null, error_count: 0, cause: null, cause_ref: null, reason: "bad" },
    ]),
  "writing compensations": (tx) => writeCompensations(tx, [undoing]),
  "ending workflow runs": (tx) =>
    endWorkflowRuns(tx, [
      { run, status: "completed", error: null, error_count: 0, cause: null, cause_ref: null, reason: "done" },
    ]),
};

/** Scanning a whole table or index costs more with every run in the history. */
async function expectLookUps(): Promise<void> {
  for (const [name, work] of Object.entries(STATEMENTS)) {
    for (const plan of await plansOf(world.ctx, sends(work))) {
      expect(plan, name).not.toMatch(/Seq Scan on (step_runs|workflow_runs|workflows|outbox|map_steps|map_items|runs)/);
      expect(plan, name).not.toMatch(/(Hash|Merge) ((Left|Right|Semi|Anti) )*Join/);
      // A nested loop between two parts of a statement: 250,000 comparisons for 500 rows.
      expect(plan, name).not.toMatch(/Join Filter: \(+\w+\.\w+ = /);
      // A bitmap scan would read the thousands of dead entries of former items; an ordered index scan marks and skips
      // them.
      expect(plan, name).not.toMatch(/Bitmap Index Scan on map_items_running_idx/);
    }
  }
}

describe("the plans of workflow progress", () => {
  it("look each row up by its key while the tables are empty and not analyzed", expectLookUps);

  it("creating a run looks up its workflow, and does not read those of all projects", async () => {
    const newRun = { ...run, workflow_revision: 1, version: 1, trigger_type: "api" } as unknown as NewWorkflowRun;
    for (const plan of await plansOf(
      world.ctx,
      sends((tx) => createWorkflowRuns(tx, [newRun], [loaded])),
    )) {
      expect(plan).toMatch(
        /on workflows f .*\n *Index Cond: \(\(project_id = g\.project_id\) AND \(id = g\.workflow_id\)\)/,
      );
    }
  });

  it("deadlock detection reads only the blocked runs", async () => {
    const plans = await plansOf(world.ctx, (ctx) => breakDeadlocks(ctx, project_id));
    expect(plans.join("\n")).not.toMatch(/Seq Scan on workflow_runs/);
  });

  it("and when they hold a hundred thousand rows", async () => {
    await runSql(
      world.connection,
      `insert into workflow_runs (project_id, id, workflow_id, version_id, version, environment_id, status, payload,
         trigger_type, created_by, scheduled_at, created_at, updated_at)
       select $1, gen_random_uuid(), $1, $1, 1, $1, 'running', '{}', 'api', '', clock(), clock(), clock()
       from generate_series(1, 30000)`,
      [project_id],
    );
    await runSql(
      world.connection,
      `insert into step_runs (project_id, id, workflow_run_id, step_ref, position, type, status, created_at, updated_at)
       select project_id, gen_random_uuid(), id, s, 0, 'job', 'pending', clock(), clock()
       from workflow_runs, unnest(array['a', 'b', 'c']) as s`,
    );
    await runSql(world.connection, "vacuum analyze step_runs");
    await runSql(world.connection, "vacuum analyze workflow_runs");
    await expectLookUps();
  }, 120_000);
});
