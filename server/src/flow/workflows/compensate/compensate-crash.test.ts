import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { holdStep } from "../../../../test/seed/finish-step.ts";
import { makeSaga, type Saga } from "../../../../test/seed/saga.ts";
import { watchStatements } from "../../../../test/statements/watch-statements.ts";
import { runSql } from "../../../../test/world/database.ts";
import { dyingInstance } from "../../../../test/world/dying-instance.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { World } from "../../../../test/world/world.ts";
import type { Ctx } from "../../../platform/context.ts";
import { timeOutWorkflowRuns } from "../maintain/time-out-workflow-runs.ts";
import { progressRuns } from "../progress/progress-runs.ts";
import { cancelWorkflowRun } from "../stop/cancel-workflow-run.ts";

let world: World;
let saga: Saga;
beforeAll(async () => {
  world = await makeFlowWorld();
});
beforeEach(async () => {
  saga = await makeSaga(world);
});

const UNDONE = ["charge:compensate", "reserve:compensate"];
const keyOf = (id: string) => ({ project_id: saga.project.id, workflow_run_id: id });
const compensations = async (id: string) =>
  (
    await runSql<{ step_ref: string }>(
      world.connection,
      "select step_ref from runs where workflow_run_id = $1 and step_ref like '%:compensate' order by id",
      [id],
    )
  ).map((row) => row.step_ref);

/** What the others find after the instance has died: the outbox, then, 30 s later, the reconciliation. */
async function recover(): Promise<void> {
  await world.runUntilIdle();
  await world.clock.pass("30s");
  await world.tick("reconcile-workflows");
  await world.runUntilIdle();
}

async function expectWhole(id: string, status: string): Promise<void> {
  expect((await saga.bench.read(id)).run).toMatchObject({ status, phase: null });
  expect(await compensations(id)).toEqual(UNDONE);
  expect(await saga.decided(id, "end")).toEqual(["end"]);
}

describe("T10 an instance that dies while a run compensates", () => {
  it("after the commit that postponed the end: the outbox continues from there", async () => {
    const { bench, steps } = saga;
    holdStep(bench, "ship");
    const { run } = await bench.run(await bench.save(steps()));
    const { ctx, die } = dyingInstance(world.ctx);
    await cancelWorkflowRun(ctx, keyOf(run.id), { cause: "canceled", reason: null, by: { id: null, name: "test" } });
    die();
    expect((await bench.read(run.id)).run).toMatchObject({ status: "running", phase: "compensating" });
    await recover();
    await expectWhole(run.id, "canceled");
  });

  it("after the commit of a timeout", async () => {
    const { bench, steps } = saga;
    holdStep(bench, "ship");
    const { run } = await bench.run(await bench.save(steps(), { timeout_secs: 10 }));
    await world.clock.pass("11s");
    const { ctx, die } = dyingInstance(world.ctx);
    await timeOutWorkflowRuns(ctx);
    die();
    await recover();
    await expectWhole(run.id, "timed_out");
  });

  it("after a compensation has ended, before the next is started: the reconciliation finds it", async () => {
    const { bench, failing, steps, undone } = saga;
    failing("ship");
    holdStep(bench, "charge:compensate");
    const { run } = await bench.run(await bench.save(steps()));
    await endSilently(run.id);
    await world.runUntilIdle();
    expect(undone()).toEqual(["charge:compensate"]);
    await recover();
    await expectWhole(run.id, "failed");
  });

  it("after any number of its statements: nothing is lost, and nothing is done twice", async () => {
    const { bench, steps } = saga;
    holdStep(bench, "charge:compensate");
    const [reserve, charge] = steps();
    const gate = { step_ref: "gate", type: "sleep", sleep_duration: "24h", depends_on: ["charge"] };
    const workflow = await bench.save([reserve, charge, gate] as object[]);
    const ids = await Promise.all(Array.from({ length: MAX_STATEMENTS }, () => bench.start(workflow)));
    await world.runUntilIdle();
    for (const id of ids) {
      const { ctx, die } = dyingInstance(world.ctx);
      await cancelWorkflowRun(ctx, keyOf(id), { cause: "canceled", reason: null, by: { id: null, name: "test" } });
      die();
    }
    const starting = await progressDying(ids);
    await world.runUntilIdle();
    for (const id of ids) await endSilently(id);
    const goingOn = await progressDying(ids);
    await recover();
    for (const id of ids) await expectWhole(id, "canceled");
    // Each died once in the middle, or finished if it had enough statements left.
    for (const done of [starting, goingOn]) expect([done[0], done.at(-1)]).toEqual([false, true]);
  }, 60_000);
});

/** More than one call of `progressRuns` needs. */
const MAX_STATEMENTS = 12;

/** For the nth run the instance dies after n statements. Returns which finished before. */
async function progressDying(ids: readonly string[]): Promise<boolean[]> {
  const done: boolean[] = [];
  for (const [nth, id] of ids.entries()) {
    done.push(await dieAfter(nth + 1, (dying) => progressRuns(dying, [keyOf(id)])));
  }
  return done;
}

/** The end of the first compensation is committed, without any notification. */
async function endSilently(id: string): Promise<void> {
  await runSql(
    world.connection,
    `with ended as (
       update runs set prev_status = status, status = 'completed', transition_count = transition_count + 1, finished_at = clock(),
         updated_at = clock()
       where workflow_run_id = $1 and step_ref = 'charge:compensate' returning id
     )
     delete from run_queue q using ended e where q.run_id = e.id`,
    [id],
  );
}

/** Each statement, and the commit, may be the last. True: the work finished before. */
async function dieAfter(statements: number, work: (ctx: Ctx) => Promise<void>): Promise<boolean> {
  const { ctx, die } = dyingInstance(world.ctx);
  let left = statements;
  const db = watchStatements(world.ctx.db, () => {
    if (left-- > 0) return;
    die();
    throw Object.assign(new Error("Connection terminated"), { code: "ECONNRESET" });
  });
  await work({ ...ctx, db }).catch(() => undefined);
  die();
  return left >= 0;
}

describe("a run of a workflow without compensations", () => {
  it("needs no further statement: it sends the same as before compensations existed", async () => {
    const { bench, steps } = saga;
    for (const ref of ["b", "charge"]) holdStep(bench, ref);
    const plain = await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]);
    const without = await statementsOfFailure(plain, "b");
    const undoing = await statementsOfFailure(await bench.save(steps()), "charge");
    expect(without.filter((text) => /compensation_status = g\.status|planned_end = g\.planned_end/.test(text))).toEqual(
      [],
    );
    expect(undoing.filter((text) => text.includes("planned_end = g.planned_end"))).toHaveLength(1);
    // Locks and steps, their writes, the cancellations, the lock of the workflow's limit, the end, the commit.
    expect(without.map(nameOf)).toEqual(["lock", "read", "write", "cancel", "limit", "end", "commit"]);
  });
});

async function statementsOfFailure(workflow: string, ref: string): Promise<string[]> {
  const { run, steps } = await saga.bench.run(workflow);
  await runSql(
    world.connection,
    `with ended as (
       update runs set prev_status = status, status = 'failed', transition_count = transition_count + 1, finished_at = clock(),
         error = '{"code": "bad", "message": "bad"}', updated_at = clock()
       where id = $1 returning id
     )
     delete from run_queue q using ended e where q.run_id = e.id`,
    [steps[ref].run_id],
  );
  const sent: string[] = [];
  const db = watchStatements(world.ctx.db, (text) => void sent.push(text));
  await progressRuns({ ...world.ctx, db }, [keyOf(run.id)]);
  return sent;
}

function nameOf(text: string): string {
  const names = {
    commit: /^commit$/,
    limit: /pg_advisory_xact_lock_shared/,
    lock: /for no key update/,
    cancel: /'cancel_run'/,
    end: /'workflow_on_failure'/,
    write: /update step_runs/,
    read: /from step_runs/,
  };
  return Object.entries(names).find(([, pattern]) => pattern.test(text))?.[0] ?? text;
}
