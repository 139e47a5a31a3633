import { beforeEach, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { claimOne, claimSome, fillQueue, makeJob } from "../../../../test/world/queue-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { allInvariants } from "./all-invariants.ts";
import { PAGE } from "./walk-open.ts";

let world: World;
let project: TestProject;
beforeEach(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00.000Z");
  project = await world.project();
});

const sqlOf = (text: string, values?: unknown[]) => runSql(world.connection, text, values);
const read = async () => (await world.admin.get("/health/invariants")).body;

async function violated(): Promise<string[]> {
  await world.tick("check-invariants");
  const { invariants } = await read();
  return invariants
    .filter(({ status }: { status: string }) => status === "violated")
    .map(({ name }: { name: string }) => name);
}

async function waitingWorkflowRun(): Promise<string> {
  const bench = await workflowBench(world, project);
  const { run } = await bench.run(await bench.save([{ step_ref: "w", type: "wait_for_event", event_key: "idle" }]));
  return run.id;
}

async function idleWorkflowRun(): Promise<string> {
  const id = await waitingWorkflowRun();
  await sqlOf("update step_runs set status = 'completed', prev_status = 'waiting', finished_at = clock()");
  await sqlOf("delete from event_triggers");
  await world.clock.pass("61s");
  return id;
}

/** A pending run that lost its place in the queue, and has a row in the list of active runs. */
async function strandedRun(): Promise<void> {
  await fillQueue(world.ctx, await makeJob(project), 3);
  while (await world.tick("sum-changes"));
  await sqlOf("delete from run_queue where run_id = (select min(run_id::text)::uuid from run_queue)");
  await world.clock.pass("61s");
}

/** A slot was released without waking the run that waits for it. */
async function unstartedRun(fields: object = { max_concurrency: 1 }, reason = "job:"): Promise<void> {
  const job = await makeJob(project, fields);
  await fillQueue(world.ctx, job, 1);
  await sqlOf("update run_queue set blocked_on = $2 || job_id || $3 where job_id = $1", [
    job.id,
    reason,
    reason === "rate:" ? "::" : "",
  ]);
}

async function sinceAMinute(): Promise<void> {
  expect(await violated()).toEqual([]);
  await world.clock.pass("61s");
}

const BROKEN: Record<string, () => Promise<void>> = {
  slots_match_holders: async () => {
    const job = await makeJob(project, { max_concurrency: 5 });
    await fillQueue(world.ctx, job, 2);
    await claimSome(world.ctx, job, 2);
    await sqlOf("update concurrency_counters set active = active + 1");
  },
  workflow_slots_match_holders: async () => {
    const bench = await workflowBench(world, project);
    const wait = { step_ref: "w", type: "wait_for_event", event_key: "held" };
    await bench.run(await bench.save([wait], { max_concurrent_runs: 3 }));
    await sqlOf("update concurrency_counters set active = 0 where key like 'workflow:%'");
  },
  free_slots_are_used: async () => {
    await unstartedRun();
    await sinceAMinute();
  },
  leases_end: async () => {
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 1);
    await claimOne(world.ctx, job);
    await world.clock.pass("70s");
  },
  open_runs_have_a_wake_source: strandedRun,
  workflow_runs_progress: async () => {
    await idleWorkflowRun();
  },
  timers_fire: async () => {
    await fillQueue(world.ctx, await makeJob(project), [{ delay_secs: 10 } as object]);
    await world.clock.pass("75s");
  },
  outbox_is_served: async () => {
    await sqlOf("insert into outbox values ($1, 't', 'emit', 'x', null, clock() - interval '61 seconds')", [
      project.id,
    ]);
  },
  changelog_is_consumed: async () => {
    await sqlOf("insert into log_cursors values ('late', 0, null, clock()) on conflict do nothing");
    await fillQueue(world.ctx, await makeJob(project), 1);
    await world.clock.pass("301s");
  },
};

describe("GET /health/invariants", () => {
  it("O10 says that nothing was checked while no engine runs, then that all hold", async () => {
    expect(await read()).toMatchObject({ status: "unchecked" });
    await world.tick("check-invariants");
    const { status, invariants } = await read();
    expect(status).toBe("ok");
    expect(invariants.map(({ name }: { name: string }) => name)).toEqual(allInvariants.map(({ name }) => name));
    await world.clock.pass("61s");
    expect(await read()).toMatchObject({ status: "unchecked" });
  });

  it.each(allInvariants.map(({ name }) => name))("O10 reports when %s is violated, and only that", async (name) => {
    await BROKEN[name]?.();
    expect(await violated()).toEqual([name]);
    const { body } = await world.admin.get("/v1/system");
    const finding = body.findings.find(({ check }: { check: string }) => check === "invariants");
    expect(finding).toMatchObject({ status: "failed", message: expect.stringContaining(name) });
  });

  it.each([
    ["slots_match_holders", "reconcile-queue"],
    ["workflow_slots_match_holders", "reconcile-workflows"],
    ["free_slots_are_used", "reconcile-queue"],
    ["open_runs_have_a_wake_source", "reconcile-queue"],
    ["open_runs_have_a_wake_source", "reconcile-triggers"],
    ["workflow_runs_progress", "reconcile-workflows"],
  ])("O10 counts as repaired, and since when, what violated %s until %s", async (name, task) => {
    await BROKEN[name]?.();
    expect(await violated()).toEqual([name]);
    await world.tick(task);
    expect(await violated()).toEqual([]);
    const { invariants } = await read();
    const repaired = invariants.find((each: { name: string }) => each.name === name);
    expect(repaired).toMatchObject({ status: "ok", repaired: 1, remedy: "" });
    expect(repaired.repaired_at).not.toBeNull();
  });

  it.each([
    ["leases_end", "sweep-leases"],
    ["timers_fire", "release-due-runs"],
  ])("O10 %s holds again once the task that had failed works, and nothing counts as repaired", async (name, task) => {
    await BROKEN[name]?.();
    expect(await violated()).toEqual([name]);
    await world.tick(task);
    expect(await violated()).toEqual([]);
    const { invariants } = await read();
    expect(invariants.find((each: { name: string }) => each.name === name)).toMatchObject({
      status: "ok",
      repaired: 0,
    });
  });

  it("O10 workflow_runs_progress counts a step that waits for nothing, until reconciliation fails it", async () => {
    await waitingWorkflowRun();
    await sqlOf("delete from event_triggers");
    await world.clock.pass("61s");
    expect(await violated()).toEqual(["workflow_runs_progress"]);
    await world.tick("reconcile-triggers");
    expect(await violated()).toEqual([]);
  });

  it("O10 a stranded run is found after a page of others that are gone, and stays counted on the next page", async () => {
    await strandedRun();
    await sqlOf(
      "insert into unindexed_runs (project_id, run_id) select '00000000-0000-0000-0000-000000000001', gen_random_uuid() from generate_series(1, $1::int)",
      [PAGE],
    );
    expect(await violated()).toEqual([]);
    for (let pass = 0; pass < 3; pass++) expect(await violated()).toEqual(["open_runs_have_a_wake_source"]);
    await world.tick("reconcile-queue");
    expect(await violated()).toEqual([]);
  });

  it("O10 an idle workflow run stays counted while the next page is checked", async () => {
    const id = await idleWorkflowRun();
    await sqlOf(
      `insert into workflow_runs select copy.* from workflow_runs w, generate_series(1, $2::int) nth,
         jsonb_populate_record(w, jsonb_build_object('status', 'pending', 'prev_status', null, 'scheduled_at', 'infinity',
           'id', 'ffffffff-ffff-7fff-8fff-' || lpad(nth::text, 12, '0'))) copy where w.id = $1`,
      [id, PAGE],
    );
    for (let pass = 0; pass < 3; pass++) expect(await violated()).toEqual(["workflow_runs_progress"]);
    await world.tick("reconcile-workflows");
    expect(await violated()).toEqual([]);
  });

  it.each([
    ["a rate limit without a timer", { rate_limit_max: 1, rate_limit_window_secs: 1 }, "rate:"],
    ["a limit that the job no longer has", {}, "job:"],
  ])("O10 free_slots_are_used counts runs that wait for %s", async (_, fields, reason) => {
    await unstartedRun(fields, reason);
    await sinceAMinute();
    expect(await violated()).toEqual(["free_slots_are_used"]);
    await world.tick("reconcile-queue");
    expect(await violated()).toEqual([]);
  });

  it.each([
    ["is held", "update concurrency_counters set active = 1"],
    [
      "is granted to another",
      "update run_queue set granted_by = 'job:' || job_id, blocked_on = null where run_id = (select min(run_id::text)::uuid from run_queue)",
    ],
    ["is of a paused job", "update jobs set paused_at = clock()"],
    ["is awaited by a stopped run", "update run_queue set stopped = 'pause'"],
  ])("O10 free_slots_are_used ignores a slot that %s", async (_, change) => {
    const job = await makeJob(project, { max_concurrency: 1 });
    await fillQueue(world.ctx, job, 2);
    await sqlOf("insert into concurrency_counters (project_id, key) values ($1, 'job:' || $2) on conflict do nothing", [
      project.id,
      job.id,
    ]);
    await sqlOf("update run_queue set blocked_on = 'job:' || job_id");
    await sqlOf(change);
    await world.tick("check-invariants");
    await world.clock.pass("61s");
    await world.tick("check-invariants");
    const { invariants } = await read();
    expect(invariants.find((each: { name: string }) => each.name === "free_slots_are_used").violations).toBe(0);
  });

  it("O10 free_slots_are_used counts the runs that could start, of a limit on any page", async () => {
    const job = await makeJob(project, { max_concurrency_per_key: 2 });
    await fillQueue(world.ctx, job, LIMITS + 3);
    await sqlOf(
      `update run_queue q set blocked_on = 'key:' || q.job_id || ':' || case when n.nth <= 3 then 'z' else n.nth::text end
       from (select run_id, row_number() over (order by run_id) as nth from run_queue) n where n.run_id = q.run_id`,
    );
    await sqlOf(
      `insert into concurrency_counters (project_id, key, active)
       select project_id, blocked_on, 2 from run_queue where blocked_on not like '%:z'`,
    );
    const count = async () => {
      await world.tick("check-invariants");
      const { invariants } = await read();
      return invariants.find((each: { name: string }) => each.name === "free_slots_are_used").violations;
    };
    expect([await count(), await count(), await count()]).toEqual([0, 0, 0]);
    await world.clock.pass("61s");
    expect([await count(), await count()]).toEqual([2, 2]);
  });
});

/** More than are checked at a time. */
const LIMITS = 1_100;
