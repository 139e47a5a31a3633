import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/database.ts";
import { plansOf } from "../../../test/explain.ts";
import { makeWorld, type World } from "../../../test/world.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { endWaitingSteps } from "./end-waiting-steps.ts";
import { endWorkflowRuns } from "./end-workflow-runs.ts";
import { loadOutputs } from "./load-outputs.ts";
import { lockWorkflowRuns } from "./lock-workflow-runs.ts";
import type { RunInHand } from "./run-in-hand.ts";
import { writeSteps } from "./write-steps.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const project_id = newId();
const run = {
  project_id,
  id: newId(),
  workflow_id: newId(),
  version_id: newId(),
  environment_id: newId(),
  status: "running",
  moves: 1,
  payload: {},
  tags: {},
  metadata: {},
  decisions: 0,
  holds_slot: false,
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
const hand = {
  run,
  isNew: false,
  steps: new Map([["a", step]]),
  outputs: new Map(),
  fresh: new Set(),
  decisions: [{ step_ref: "a", decision_type: "complete", reason: "done" }],
  effects: [],
  end: null,
  deferred: new Map(),
} as unknown as RunInHand;

/** Nothing is sent, so the functions see no rows and some complain: the statement is known by then. */
const sends = (work: (tx: Ctx & InTransaction) => Promise<unknown>) => (ctx: Ctx) =>
  work({ ...ctx, in_transaction: true }).catch(() => undefined);

const key = { project_id, workflow_run_id: run.id };
const STATEMENTS: Record<string, (tx: Ctx & InTransaction) => Promise<unknown>> = {
  "locking workflow runs": (tx) => lockWorkflowRuns(tx, [key]),
  "reading outputs": (tx) => loadOutputs(tx, [{ hand, refs: ["b"] }]),
  "writing steps": (tx) => writeSteps(tx, [hand]),
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
  "ending workflow runs": (tx) =>
    endWorkflowRuns(tx, [
      { run, status: "completed", error: null, error_count: 0, cause: null, cause_ref: null, reason: "done" },
    ]),
};

/** Reading a whole table, or a whole index, costs more with every run that ever was. */
async function expectLookUps(): Promise<void> {
  for (const [name, work] of Object.entries(STATEMENTS)) {
    for (const plan of await plansOf(world.ctx, sends(work))) {
      expect(plan, name).not.toMatch(/Seq Scan on (step_runs|workflow_runs|workflows|effects)/);
      expect(plan, name).not.toMatch(/(Hash|Merge) (Semi )?Join/);
    }
  }
}

describe("the plans of what moves workflow runs", () => {
  it("look each row up by its key while the tables are empty and nobody has counted them", expectLookUps);

  it("and when they hold a hundred thousand", async () => {
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
  });
});
