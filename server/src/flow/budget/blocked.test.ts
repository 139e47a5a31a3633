import { beforeAll, describe, expect, it } from "vitest";
import { budgetBench } from "../../../test/costs/budget-bench.ts";
import { endRun } from "../../../test/seed/end-run.ts";
import { makeWorkflow } from "../../../test/seed/make-workflow.ts";
import { runSql } from "../../../test/world/database.ts";
import { claimOne } from "../../../test/world/queue-world.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { Outcome } from "../runs/dispatch/outcome.ts";
import { settleRuns } from "../runs/settle/settle-runs.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
});

type Bench = Awaited<ReturnType<typeof budgetBench>>;

const BROKEN: Outcome = { kind: "failed", retryable: true, error: { code: "bad", message: "It broke." } };

/** A run of the job that failed once, and will be retried at once. */
async function retried({ project }: Bench, job: Awaited<ReturnType<Bench["job"]>>, outcome: Outcome = BROKEN) {
  const { body } = await project.api.post(`${job.path}/trigger`, {});
  const run = await claimOne(world.ctx, job);
  expect(await settleRuns(world.ctx, [{ run, outcome }])).toEqual([true]);
  return body.id as string;
}

const RETRY = { retry_strategy: "custom", retry_delays_secs: [0], max_attempts: 3 };

async function firstStep(project: Bench["project"], workflow_id: string): Promise<string> {
  const started = await project.api.post(`/v1/workflows/${workflow_id}/trigger`, {});
  expect(started.status).toBe(201);
  await world.tick("start-due-workflow-runs");
  const [row] = await runSql<{ id: string }>(world.connection, "select id from runs where workflow_run_id = $1", [
    started.body.id,
  ]);
  if (!row) throw new Error("the step has no run");
  return row.id;
}

describe("steps under a budget without room", () => {
  it("N12 are created blocked on it, and continue at once when it is raised", async () => {
    const bench = await budgetBench(world, 50);
    const { project, job, set, blocked, spent } = bench;
    const { id } = await job();
    const workflow = await makeWorkflow(project, { steps: [{ step_ref: "a", job_id: id }] });
    const run_id = await firstStep(project, workflow.id);
    expect(await blocked(run_id)).toBe("budget");
    expect(await spent()).toEqual([0, 0]);
    await set({ monthly_budget_microusd: 100 });
    expect(await blocked(run_id)).toBe(null);
    expect(await spent()).toEqual([0, 100]);
    await endRun(world, run_id);
    await bench.recordCosts();
    expect(await spent()).toEqual([0, 0]);
  });

  it("keep their queue order, and one that costs too much does not block the others", async () => {
    const { project, job, set, blocked } = await budgetBench(world, 1);
    const ids: string[] = [];
    for (const estimated_cost_microusd of [900, 100, 100, 100]) {
      const { id } = await job({ estimated_cost_microusd });
      ids.push(await firstStep(project, (await makeWorkflow(project, { steps: [{ step_ref: "a", job_id: id }] })).id));
    }
    await set({ monthly_budget_microusd: 200 });
    expect(await Promise.all(ids.map(blocked))).toEqual(["budget", null, null, "budget"]);
  });
});

describe("schedules under a budget without room", () => {
  it("N12 fire, and their runs are blocked until a new period begins", async () => {
    await world.clock.set("2033-01-31T10:00:30Z");
    const { project, job, blocked, spent } = await budgetBench(world, 50);
    const { id } = await job({ estimated_cost_microusd: 40 });
    const dear = await job({ estimated_cost_microusd: 20 });
    await endRun(world, (await project.api.post(`${dear.path}/trigger`, {})).body.id);
    const schedule = await project.api.post("/v1/schedules", { job_id: id, cron: "* * * * *" });
    await runSql(world.connection, "update usage_periods set reported_microusd = 45 where project_id = $1", [
      project.id,
    ]);
    while (await world.tick("sum-changes"));
    expect(await spent()).toEqual([45, 0]);
    await world.clock.set("2033-01-31T10:01:01Z");
    while (await world.tick("fire-schedules"));
    const [run] = await runSql<{ id: string }>(world.connection, "select id from runs where schedule_id = $1", [
      schedule.body.id,
    ]);
    expect(await blocked(run?.id ?? "")).toBe("budget");
    await world.tick("admit-blocked-on-budget");
    expect(await blocked(run?.id ?? "")).toBe("budget");
    await world.clock.set("2033-02-01T00:00:00Z");
    await world.tick("admit-blocked-on-budget");
    expect(await blocked(run?.id ?? "")).toBe(null);
    expect(await spent()).toEqual([0, 40]);
    await project.api.delete(`/v1/schedules/${schedule.body.id}`);
  });
});

describe("retries under a blocking budget", () => {
  it("N12 are blocked until the last try is recorded; with room they then continue by themselves", async () => {
    const bench = await budgetBench(world, 100);
    const run_id = await retried(bench, await bench.job(RETRY));
    expect(await bench.blocked(run_id)).toBe("budget");
    // The timer does not take the reservation still held for the last try.
    await world.tick("admit-blocked-on-budget");
    expect(await bench.blocked(run_id)).toBe("budget");
    await bench.recordCosts();
    expect(await bench.blocked(run_id)).toBe(null);
    expect(await bench.spent()).toEqual([0, 100]);
  });

  it("are blocked if the cost of the tries leaves no room, and unblocked at once when it is raised", async () => {
    await world.clock.set("2033-03-10T00:00:00Z");
    const bench = await budgetBench(world, 150, { compute_rate_microusd_per_sec: 10 });
    const job = await bench.job(RETRY);
    const { body } = await bench.project.api.post(`${job.path}/trigger`, {});
    const run = await claimOne(world.ctx, job);
    await world.clock.pass("8s");
    await settleRuns(world.ctx, [{ run, outcome: BROKEN }]);
    await bench.recordCosts();
    expect([await bench.blocked(body.id), await bench.spent()]).toEqual(["budget", [80, 0]]);
    await bench.set({ monthly_budget_microusd: 180 });
    expect([await bench.blocked(body.id), await bench.spent()]).toEqual([null, [80, 100]]);
  });

  it("that are not due yet wait for their time once the budget has room", async () => {
    const bench = await budgetBench(world, 100);
    const run_id = await retried(bench, await bench.job({ ...RETRY, retry_delays_secs: [60] }));
    await bench.recordCosts();
    expect(await bench.blocked(run_id)).toBe("not_due");
  });

  it("of a paused job are blocked on the pause once the budget has room", async () => {
    const bench = await budgetBench(world, 100);
    const job = await bench.job(RETRY);
    const run_id = await retried(bench, job);
    await bench.project.api.post(`${job.path}/pause`);
    expect(await bench.blocked(run_id)).toBe("budget");
    await bench.recordCosts();
    expect(await bench.blocked(run_id)).toBe(`paused_job:${job.id}`);
    await bench.project.api.post(`${job.path}/resume`);
    expect(await bench.blocked(run_id)).toBe(null);
  });

  it("a run that was requeued undispatched keeps its reservation and is not checked again", async () => {
    const bench = await budgetBench(world, 100);
    const run_id = await retried(bench, await bench.job(RETRY), { kind: "drained" });
    expect(await bench.blocked(run_id)).toBe(null);
    await bench.recordCosts();
    expect(await bench.spent()).toEqual([0, 100]);
  });

  it("are unblocked when the budget no longer blocks", async () => {
    const bench = await budgetBench(world, 100);
    const run_id = await retried(bench, await bench.job(RETRY));
    await bench.set({ monthly_budget_microusd: 1 });
    await bench.recordCosts();
    expect(await bench.blocked(run_id)).toBe("budget");
    await bench.set({ monthly_budget_microusd: 1, action: "notify" });
    expect([await bench.blocked(run_id), await bench.spent()]).toEqual([null, [0, 0]]);
  });
});

describe("a run blocked on the budget", () => {
  it("stays so through a pause and a resume", async () => {
    const bench = await budgetBench(world, 1);
    const { project, job, blocked } = bench;
    const { id } = await job();
    const run_id = await firstStep(
      project,
      (await makeWorkflow(project, { steps: [{ step_ref: "a", job_id: id }] })).id,
    );
    expect((await project.api.post(`/v1/runs/${run_id}/pause`)).status).toBe(200);
    expect((await project.api.post(`/v1/runs/${run_id}/resume`)).status).toBe(200);
    expect(await blocked(run_id)).toBe("budget");
  });

  it("is explained with the budget, and the named remedy unblocks it", async () => {
    const { project, job, blocked } = await budgetBench(world, 30);
    const { id } = await job();
    const run_id = await firstStep(
      project,
      (await makeWorkflow(project, { steps: [{ step_ref: "a", job_id: id }] })).id,
    );
    const { body } = await project.api.get(`/v1/runs/${run_id}/explain`);
    const blocker = body.blockers.find((each: { code: string }) => each.code === "budget");
    expect(blocker).toMatchObject({
      message: "The budget of $0.00003 a month has $0.00003 left, and the run is expected to cost $0.0001.",
      evidence: { monthly_budget_microusd: 30, settled_microusd: 0, reserved_microusd: 0, estimate: 100 },
      remedy: { request: { method: "PUT", path: "/v1/project-budget" } },
    });
    const { path, body: remedy } = blocker.remedy.request;
    expect((await project.api.put(path, remedy)).status).toBe(200);
    expect(await blocked(run_id)).toBe(null);
    const after = await project.api.get(`/v1/runs/${run_id}/explain`);
    expect(after.body.blockers.map((each: { code: string }) => each.code)).not.toContain("budget");
  });

  it("names the budget along with the pause while it is paused, and starts when both remedies are applied", async () => {
    const { project, job, blocked } = await budgetBench(world, 30);
    const { id } = await job();
    const run_id = await firstStep(
      project,
      (await makeWorkflow(project, { steps: [{ step_ref: "a", job_id: id }] })).id,
    );
    await project.api.post(`/v1/runs/${run_id}/pause`);
    const codes = async () =>
      (await project.api.get(`/v1/runs/${run_id}/explain`)).body.blockers
        .map((each: { code: string }) => each.code)
        .filter((code: string) => code !== "no_engine");
    expect(await codes()).toEqual(["paused_run", "budget"]);
    await project.api.put("/v1/project-budget", { monthly_budget_microusd: 100, action: "block" });
    expect(await codes()).toEqual(["paused_run"]);
    await project.api.post(`/v1/runs/${run_id}/resume`);
    await world.tick("admit-blocked-on-budget");
    expect(await blocked(run_id)).toBe(null);
  });
});

describe("runs in flight", () => {
  it("N12 finish when a budget begins to block, and count against it", async () => {
    const bench = await budgetBench(world, null);
    const { project, set, spent, recordCosts } = bench;
    const job = await bench.job();
    const [one, two] = [
      await project.api.post(`${job.path}/trigger`, {}),
      await project.api.post(`${job.path}/trigger`, {}),
    ];
    const run = await claimOne(world.ctx, job);
    await set({ monthly_budget_microusd: 50 });
    expect(await spent()).toEqual([0, 100]);
    expect((await project.api.post(`${job.path}/trigger`, {})).status).toBe(402);
    await settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);
    const waiting = [one, two].find(({ body }) => body.id !== run.run_id);
    await endRun(world, waiting?.body.id);
    await recordCosts();
    expect(await spent()).toEqual([0, 0]);
  });
});
