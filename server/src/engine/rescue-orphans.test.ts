import { spawn } from "node:child_process";
import { once } from "node:events";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workflowBench } from "../../test/costs/workflow-bench.ts";
import { seedBatch } from "../../test/seed/seed-batch.ts";
import { runSql } from "../../test/world/database.ts";
import { claimOne, claimSome, fillQueue, makeJob } from "../../test/world/queue-world.ts";
import { until } from "../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { isGone, type Registered } from "../features/operations/mark-gone.ts";
import { ownProcess, registerInstance, retireInstance } from "../features/operations/register-instance.ts";
import { settleRuns } from "../flow/runs/settle/settle-runs.ts";
import { whenProgressed } from "../flow/workflows/progress/progress-soon.ts";
import { claimBatch } from "../platform/batches/claim-batch.ts";
import type { Ctx } from "../platform/context.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { processStart } from "../platform/embedded-postgres/running-process.ts";
import { newId } from "../platform/ids.ts";
import { enqueueOutbox } from "../platform/outbox/enqueue-outbox.ts";
import { newServiceState } from "../platform/service-state.ts";
import { acquireLeaderLease } from "./leader-lease.ts";
import { rescueOrphans } from "./rescue-orphans.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00.000Z");
});
beforeEach(async () => {
  project = await world.project();
  await runSql(world.connection, "delete from instances");
});

/** A process that was started and killed, as an instance registers it. */
async function deadProcess() {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  const mark = { ...ownProcess(), pid: child.pid ?? 0, process_start: processStart(child.pid ?? 0) ?? "" };
  child.kill("SIGKILL");
  await once(child, "exit");
  return mark;
}

/** Another instance on the same database, registered with a process of its own. */
async function anInstance(more: Partial<Registered> = {}) {
  const ctx: Ctx = { ...world.ctx, instance_id: newId(), state: newServiceState() };
  await registerInstance(ctx);
  const fields = Object.entries(more);
  const sets = fields.map(([column], nth) => `${column} = $${nth + 2}`).join(", ");
  const values = [ctx.instance_id, ...fields.map(([, value]) => value)];
  if (sets) await runSql(world.connection, `update instances set ${sets} where id = $1`, values);
  return ctx;
}

const queued = async (run_id: string) =>
  (
    await runSql(
      world.connection,
      "select r.status, r.crash_count, r.tries_used, q.blocked_on from runs r join run_queue q on q.run_id = r.id where r.id = $1",
      [run_id],
    )
  )[0];

describe("rescue-orphans", () => {
  it("requeues the runs of a killed process on this machine at once, as a lost lease", async () => {
    const job = await makeJob(project, { retry_strategy: "custom", retry_delays_secs: [600] });
    await fillQueue(world.ctx, job, 1);
    const dead = await anInstance(await deadProcess());
    const run = await claimOne(dead, job);
    await world.tick("rescue-orphans");
    expect(await queued(run.run_id)).toEqual({ status: "pending", crash_count: 1, tries_used: 1, blocked_on: null });
    const next = await claimOne(world.ctx, job);
    expect(next).toMatchObject({ run_id: run.run_id, attempt: 2 });
    const late = await settleRuns(dead, [{ run, outcome: { kind: "completed", result_json: "1" } }]);
    expect(late).toEqual([false]);
  });

  it("progresses a workflow run whose step ended in the last transaction of the instance", async () => {
    const bench = await workflowBench(world, project);
    const id = await bench.start(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    const { steps } = await bench.read(id);
    await runSql(
      world.connection,
      `with gone as (delete from run_queue where run_id = $1)
       update runs set prev_status = 'running', status = 'completed', result = '1', finished_at = clock() where id = $1`,
      [steps.a.run_id],
    );
    await world.clock.pass("1s");
    await anInstance(await deadProcess());
    await rescueOrphans(world.ctx);
    await whenProgressed(world.ctx);
    expect((await bench.read(id)).steps).toMatchObject({ a: { status: "completed" }, b: { status: "running" } });
  });

  it("leaves alone the runs of a living process, and of an unknown one", async () => {
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 3);
    const living = [
      await anInstance(),
      await anInstance({ machine: "elsewhere" }),
      await anInstance({ name: "other" }),
    ];
    const runs = await Promise.all(living.map((ctx) => claimSome(ctx, job, 1)));
    await world.clock.pass("29s");
    await world.tick("rescue-orphans");
    for (const { run_id } of runs.flat()) expect(await queued(run_id)).toMatchObject({ status: "running" });
  });

  it("requeues the runs that an instance still held at a regular stop, and releases its other leases", async () => {
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 1);
    const stopped = await anInstance();
    const run = await claimOne(stopped, job);
    const entry = { project_id: project.id, transition_id: newId(), kind: "unheard_of", target_id: "x" };
    await inTransaction(stopped, (tx) => enqueueOutbox(tx, [entry]));
    await runSql(world.connection, "update outbox set claimed_by = $1, claimed_until = clock() + interval '30s'", [
      stopped.instance_id,
    ]);
    const kind = `kind-${newId()}`;
    await seedBatch(world.connection, project.id, { kind, failed: 0 });
    const batch = await claimBatch(stopped, { kinds: [kind], idle_secs: 0 });
    const lead = { name: `lead-${newId()}`, everyMs: 1, oneInstance: true, runOnce: async () => false };
    expect(await acquireLeaderLease(stopped, lead)).toBe(true);
    expect(await acquireLeaderLease(world.ctx, lead)).toBe(false);
    expect(await claimBatch(world.ctx, { kinds: [kind], idle_secs: 0 })).toBeUndefined();

    await retireInstance(stopped);
    await world.tick("rescue-orphans");
    expect(await queued(run.run_id)).toMatchObject({ status: "pending" });
    expect(await runSql(world.connection, "select claimed_by from outbox")).toEqual([{ claimed_by: null }]);
    expect((await claimBatch(world.ctx, { kinds: [kind], idle_secs: 0 }))?.id).toBe(batch?.id);
    expect(await acquireLeaderLease(world.ctx, lead)).toBe(true);
  });

  it("spares an instance of the same name that still listens; one mistaken for dead registers again", async () => {
    const living = await world.anotherInstance({ instance_name: "worker-0" });
    await registerInstance(living.ctx);
    await runSql(world.connection, "update instances set machine = 'elsewhere' where id = $1", [
      living.ctx.instance_id,
    ]);
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 1);
    const run = await claimOne(living.ctx, job);
    const second = { ...world.ctx, config: { ...world.ctx.config, instance_name: "worker-0" } };
    const listens = "select 1 from pg_stat_activity where application_name = $1";
    await until("it to listen", 20_000, async () => {
      return (await runSql(world.connection, listens, [`millrace listen ${living.ctx.instance_id}`])).length > 0;
    });
    await rescueOrphans(second);
    expect(await queued(run.run_id)).toMatchObject({ status: "running" });

    await living.ctx.wakeup.stop();
    await until("it to listen no more", 20_000, async () => {
      return (await runSql(world.connection, listens, [`millrace listen ${living.ctx.instance_id}`])).length === 0;
    });
    await rescueOrphans(second);
    expect(await queued(run.run_id)).toMatchObject({ status: "pending", crash_count: 1 });
    await registerInstance(living.ctx);
    const [row] = await runSql(world.connection, "select gone_at from instances where id = $1", [
      living.ctx.instance_id,
    ]);
    expect(row).toEqual({ gone_at: null });
  });
});

describe("an instance is dead", () => {
  const own = { machine: "m", pid: process.pid, process_start: "b", name: null, holds_data_dir: false };
  const other = (more: Partial<Registered>): Registered => {
    const unknown = { id: newId(), machine: null, pid: null, process_start: null, name: null };
    return { ...unknown, holds_data_dir: false, is_listening: false, ...more };
  };

  it("when it held the data directory that this one holds now, but not when it uses the database in another way", () => {
    const exclusive = { ...own, holds_data_dir: true };
    expect(isGone(other({ holds_data_dir: true }), exclusive)).toBe(true);
    expect(isGone(other({}), exclusive)).toBe(false);
    expect(isGone(other({ holds_data_dir: true }), own)).toBe(false);
  });

  it("when its process on this machine has ended, or its pid belongs to a later one", () => {
    const mark = processStart(process.pid) ?? "";
    const here = (more: Partial<Registered>) => other({ machine: "m", pid: process.pid, process_start: mark, ...more });
    expect(isGone(here({}), own)).toBe(false);
    expect(isGone(here({ process_start: "earlier" }), own)).toBe(true);
    expect(isGone(here({ pid: 2 ** 22 - 1 }), own)).toBe(true);
    expect(isGone(here({ machine: "another", process_start: "earlier" }), own)).toBe(false);
    expect(isGone(here({ machine: null, process_start: "earlier" }), { ...own, machine: null })).toBe(false);
    // The state of the process takes precedence over a name.
    expect(isGone(here({ name: "n" }), { ...own, name: "n" })).toBe(false);
  });

  it("when it had this instance's name and no longer listens", () => {
    expect(isGone(other({ name: "n" }), { ...own, name: "n" })).toBe(true);
    expect(isGone(other({ name: "n", is_listening: true }), { ...own, name: "n" })).toBe(false);
    expect(isGone(other({ name: "n" }), own)).toBe(false);
    expect(isGone(other({}), own)).toBe(false);
  });
});
