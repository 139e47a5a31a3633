import { setImmediate as immediate } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { watchStatements } from "../../../../test/statements/watch-statements.ts";
import { dyingInstance } from "../../../../test/world/dying-instance.ts";
import { until } from "../../../../test/world/until.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";
import { newServiceState } from "../../../platform/service-state.ts";
import { sendEvent } from "../../events/send-event.ts";
import { progressSoon, whenProgressed } from "./progress-soon.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** These runs do not exist: only how they are queued and batched matters. */
const someKeys = (count: number) =>
  Array.from({ length: count }, () => ({ project_id: newId(), workflow_run_id: newId() }));

function watched() {
  const counted = { transactions: 0 };
  const db = watchStatements(world.ctx.db, (text) => {
    if (text === "commit") counted.transactions++;
  });
  return { counted, ctx: { ...world.ctx, db } };
}

async function severalTicks(): Promise<void> {
  for (let nth = 0; nth < 20; nth++) await immediate();
}

describe("progressing workflow runs soon", () => {
  it("takes single requests at once", async () => {
    const { counted, ctx } = watched();
    for (const key of someKeys(3)) {
      progressSoon(ctx, [key]);
      await whenProgressed(ctx);
    }
    expect(counted.transactions).toBe(3);
  });

  it("throttles after a large transaction, and takes everything that arrived meanwhile together", async () => {
    const { counted, ctx } = watched();
    progressSoon(ctx, someKeys(5));
    await whenProgressed(ctx);
    progressSoon(ctx, someKeys(1));
    await severalTicks();
    progressSoon(ctx, someKeys(1));
    await severalTicks();
    expect(counted.transactions).toBe(1);
    vi.advanceTimersByTime(20);
    await whenProgressed(ctx);
    expect(counted.transactions).toBe(2);
  });

  it("does not throttle while more are queued than one transaction takes", async () => {
    const { counted, ctx } = watched();
    progressSoon(ctx, someKeys(200));
    await whenProgressed(ctx); // the timers are stopped
    expect(counted.transactions).toBe(2);
  });
});

describe("next to runs of another project", () => {
  let quiet: { project_id: string; workflow_run_id: string };
  let bench: WorkflowBench;
  beforeEach(async () => {
    vi.useRealTimers();
    const project = await world.project();
    bench = await workflowBench(world, project);
    const saved = await bench.save([{ step_ref: "w", type: "wait_for_event", event_key: "go" }]);
    quiet = { project_id: project.id, workflow_run_id: (await bench.run(saved)).run.id };
  });

  /** The wait has ended, and the run has not been progressed yet. */
  async function endWait(): Promise<void> {
    const { ctx, die } = dyingInstance(world.ctx);
    await sendEvent(ctx, { project_id: quiet.project_id, event_key: "go", payload: 1, sent_by: "test" });
    die();
  }

  const status = async () => (await bench.read(quiet.workflow_run_id)).run.status;

  it("a run is taken round-robin, however many of the other were queued before", async () => {
    await endWait();
    let [transactions, endedIn] = [1, 0];
    const db = watchStatements(world.ctx.db, (text) => {
      if (text === "commit") transactions++;
      if (/update workflow_runs/.test(text)) endedIn ||= transactions;
    });
    const ctx = { ...world.ctx, db, state: newServiceState() };
    const loud = newId();
    progressSoon(ctx, [...Array.from({ length: 250 }, () => ({ project_id: loud, workflow_run_id: newId() })), quiet]);
    await whenProgressed(ctx);
    expect([await status(), endedIn, transactions]).toEqual(["completed", 1, 4]);
  });

  it("a run is progressed while those of the other wait for a lock", async () => {
    const project = await world.project();
    const other = await workflowBench(world, project);
    const { run } = await other.run(await other.save([{ step_ref: "w", type: "wait_for_event", event_key: "go" }]));
    await endWait();
    const blocker = new pg.Client({ ...world.connection });
    await blocker.connect();
    await blocker.query("begin");
    await blocker.query("select 1 from workflow_runs where id = $1 for update", [run.id]);
    progressSoon(world.ctx, [{ project_id: project.id, workflow_run_id: run.id }]);
    await immediate();
    progressSoon(world.ctx, [quiet]);
    await until("the run of the other project to end", 20_000, async () => (await status()) === "completed");
    await blocker.query("rollback");
    await blocker.end();
    await whenProgressed(world.ctx);
  });
});
