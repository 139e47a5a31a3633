import pg from "pg";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workflowBench } from "../../test/costs/workflow-bench.ts";
import { seedJob, seedRun } from "../../test/seed/seed-run.ts";
import { captureStatements } from "../../test/statements/sent-statements.ts";
import { runSql } from "../../test/world/database.ts";
import { makeFlowWorld } from "../../test/world/flow-world.ts";
import { until } from "../../test/world/until.ts";
import type { TestProject, World } from "../../test/world/world.ts";
import type { Ctx } from "../platform/context.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { newId } from "../platform/ids.ts";
import { enqueueOutbox } from "../platform/outbox/enqueue-outbox.ts";
import { newServiceState } from "../platform/service-state.ts";
import { outboxOf } from "./outbox.ts";

let world: World;
let loud: TestProject;
let quiet: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
});
beforeEach(async () => {
  [loud, quiet] = [await world.project(), await world.project()];
});

type Entry = { kind: string; target_id?: string; transition_id?: string; detail?: unknown };

/** Inserts entries of a project, all of them later than those of the previous call. */
async function enqueue({ id: project_id }: TestProject, entries: Entry[]): Promise<void> {
  const filled = entries.map((entry) => ({ project_id, transition_id: newId(), target_id: newId(), ...entry }));
  await inTransaction(world.ctx, (tx) => enqueueOutbox(tx, filled));
  await world.clock.pass("1s");
}

const many = (count: number, entry: Entry) => Array.from({ length: count }, () => entry);
const left = ({ id }: TestProject) =>
  runSql<{ kind: string; claimed_by: string | null }>(
    world.connection,
    "select kind, claimed_by from outbox where project_id = $1 order by created_at",
    [id],
  );
/** An entry that starts a run of a paused job, and the runs it has started. */
async function failure(project: TestProject) {
  const failed = await seedRun(world.connection, project.id, { status: "failed" });
  const { id: job_id } = await seedJob(world.connection, project.id, { paused: true });
  const started = () => runSql(world.connection, "select id from runs where job_id = $1", [job_id]);
  return { entry: { kind: "on_failure", transition_id: `${failed}:3`, target_id: job_id }, started };
}

describe("the outbox", () => {
  it("serves projects round-robin: a hundred entries of one do not precede the single entry of another", async () => {
    await enqueue(
      loud,
      ["publish_event_trigger", "cancel_on"].flatMap((kind) =>
        many(60, { kind, detail: { project_id: loud.id, send_id: newId(), event_key: "k", is_prefix: false } }),
      ),
    );
    const { entry, started } = await failure(quiet);
    await enqueue(quiet, [entry]);
    let [deleted, before] = [0, -1];
    const noted = captureStatements((text) => {
      if (/delete from outbox/.test(text)) deleted++;
      if (/insert into runs /.test(text) && before < 0) before = deleted;
    });
    while (await world.tick("run-outbox"));
    noted.stop();
    expect(await started()).toHaveLength(1);
    expect([await left(loud), await left(quiet)]).toEqual([[], []]);
    expect(deleted).toBe(121);
    // Only the entries that were started together with it come before it.
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(40);
  });

  it("leaves workers to the others while entries of one project are slow, and processes what arrives meanwhile", async () => {
    const bench = await workflowBench(world, loud);
    const saved = await bench.save([{ step_ref: "w", type: "wait_for_event", event_key: "never" }]);
    const stuck = (await bench.run(saved)).run.id;
    const blocker = new pg.Client({ ...world.connection });
    await blocker.connect();
    await blocker.query("begin");
    await blocker.query("select 1 from workflow_runs where id = $1 for update", [stuck]);
    const kinds = ["progress", "child_workflow_ended", "cancel_child", "cancel_workflow_run"];
    await enqueue(
      loud,
      kinds.map((kind) => ({ kind, target_id: stuck, detail: { reason: "test" } })),
    );
    const pass = world.tick("run-outbox");
    await until("two lanes to be under way", 20_000, async () => {
      return (await left(loud)).filter(({ claimed_by }) => claimed_by).length === 2;
    });
    const { entry, started } = await failure(quiet);
    await enqueue(quiet, [entry]);
    world.ctx.wakeup.wake("outbox");
    await until("the entry of the other project to be done", 20_000, async () => (await left(quiet)).length === 0);
    expect(await left(loud)).toHaveLength(4);
    expect(await started()).toHaveLength(1);
    await blocker.query("rollback");
    await blocker.end();
    await pass;
    expect(await left(loud)).toEqual([]);
  });

  it("processes many of one kind in one transaction, and one by one if one of them fails", async () => {
    const runs = await Promise.all(
      Array.from({ length: 20 }, () => seedRun(world.connection, loud.id, { status: "pending" })),
    );
    const cancel = (target_id: string) => ({ kind: "cancel_run", target_id, detail: { reason: "Not wanted." } });
    const canceled = async () =>
      (await runSql(world.connection, "select 1 from runs where project_id = $1 and status = 'canceled'", [loud.id]))
        .length;
    await enqueue(loud, runs.slice(0, 15).map(cancel));
    let updates = 0;
    const noted = captureStatements((text) => {
      if (/update runs set/.test(text)) updates++;
    });
    await world.tick("run-outbox");
    noted.stop();
    expect([await canceled(), updates, await left(loud)]).toEqual([15, 1, []]);

    await enqueue(loud, [...runs.slice(15), "no id at all"].map(cancel));
    await world.tick("run-outbox");
    expect(await canceled()).toBe(20);
    expect(await left(loud)).toEqual([{ kind: "cancel_run", claimed_by: null }]);
  });

  it("retries failed entries in the next pass, and processes the rest meanwhile", async () => {
    await enqueue(loud, [{ kind: "unheard_of" }]);
    const { entry, started } = await failure(loud);
    await enqueue(loud, [entry]);
    expect(await world.tick("run-outbox")).toBe(false);
    expect(await started()).toHaveLength(1);
    expect(await left(loud)).toEqual([{ kind: "unheard_of", claimed_by: null }]);
    await runSql(world.connection, "update outbox set kind = 'publish_event_trigger' where project_id = $1", [loud.id]);
    await world.tick("run-outbox");
    expect(await left(loud)).toEqual([]);
  });

  it("processes an entry once if its claim expired under an instance that continues with it", async () => {
    const { entry, started } = await failure(loud);
    await enqueue(loud, [entry]);
    const slow = heldUp(world.ctx);
    const pass = outboxOf(slow.ctx).pass();
    await until("it to be claimed", 20_000, async () => (await left(loud))[0]?.claimed_by === slow.ctx.instance_id);
    await world.tick("run-outbox");
    expect(await started()).toEqual([]);
    await world.clock.pass("31s");
    await world.tick("run-outbox");
    expect(await started()).toHaveLength(1);
    slow.proceed();
    await pass;
    expect(await started()).toHaveLength(1);
  });

  it("claims nothing more once it is stopped, and finishes what is in flight", async () => {
    const stopped = { ...world.ctx, state: newServiceState() };
    await enqueue(loud, many(30, { kind: "publish_event_trigger" }));
    const pass = outboxOf(stopped).pass();
    await outboxOf(stopped).stop();
    expect(await pass).toBe(false);
    expect((await left(loud)).length % 10).toBe(0);
    expect(await outboxOf(stopped).pass()).toBe(false);
    await world.tick("run-outbox");
    expect(await left(loud)).toEqual([]);
  });
});

/** Another instance, whose transactions begin on the test's command. */
function heldUp(living: Ctx): { ctx: Ctx; proceed: () => void } {
  let proceed = () => {};
  const gate = new Promise<void>((resolve) => (proceed = resolve));
  const db = { ...living.db, begin: () => gate.then(living.db.begin) };
  return { ctx: { ...living, db, state: newServiceState(), instance_id: newId() }, proceed };
}
