import { beforeAll, describe, expect, it } from "vitest";
import { makeWorkflow } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { claimOne, claimSome, fillQueue, makeJob, type TestJob } from "../../../../test/world/queue-world.ts";
import { until } from "../../../../test/world/until.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { admitBlocked } from "../../budget/admit-blocked.ts";
import { claimLimited } from "../claim/claim-limited.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import { settleRuns } from "../settle/settle-runs.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

const complete = (run: ClaimedRun) =>
  settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);

/** Claims and completes one after another until nothing is queued. */
async function drain(job: TestJob): Promise<string[]> {
  const order: string[] = [];
  for (let empty = 0; empty < 3; ) {
    const [run] = await claimSome(world.ctx, job, 1);
    empty = run ? 0 : empty + 1;
    if (!run) continue;
    order.push(run.run_id);
    await complete(run);
  }
  return order;
}

type Kind = {
  project?: () => Promise<TestProject>;
  fields?: object;
  create: (of: TestProject, job: TestJob) => Promise<string>;
};

const trigger = (fields: object) => async (_: TestProject, job: TestJob) =>
  (await fillQueue(world.ctx, job, [{ priority: 5, ...fields }]))[0] ?? "";

async function budgeted(): Promise<TestProject> {
  const rich = await world.project();
  const rules = { monthly_budget_microusd: 1_000_000, action: "block" };
  expect((await rich.api.put("/v1/project-budget", rules)).status).toBe(200);
  return rich;
}

async function stepOf(of: TestProject, job: TestJob): Promise<string> {
  const { path } = await makeWorkflow(of, { steps: [{ step_ref: "a", job_id: job.id }] });
  const { body } = await of.api.post(`${path}/trigger`, {});
  const { body: steps } = await of.api.get(`/v1/workflow-runs/${body.id}/steps`);
  return steps.data[0].run_id;
}

async function debounced(_: TestProject, job: TestJob): Promise<string> {
  const id = await trigger({ concurrency_key: "k" })(_, job);
  await world.clock.pass("3s");
  await world.tick("release-due-runs");
  return id;
}

const KINDS: [string, Kind][] = [
  ["without options", { create: trigger({}) }],
  ["with an idempotency key", { create: trigger({ idempotency_key: "key", body_hash: "00" }) }],
  ["with deduplication", { fields: { dedup_window_secs: 60 }, create: trigger({ payload: { unique: true } }) }],
  ["with a debounce window", { fields: { debounce_window_secs: 2 }, create: debounced }],
  ["under a budget", { project: budgeted, create: trigger({}) }],
  ["as a step of a workflow", { create: stepOf }],
];

describe.each(KINDS)("a new run %s that no claim has seen when a slot is released", (_, kind) => {
  /** A run in the only slot, and one of low priority that waits for it. */
  async function full() {
    const of = kind.project ? await kind.project() : project;
    const job = await makeJob(of, { max_concurrency: 1 });
    await fillQueue(world.ctx, job, 1);
    const holder = await claimOne(world.ctx, job);
    const [waiting] = await fillQueue(world.ctx, job, [{ priority: -5 }]);
    expect(await claimSome(world.ctx, job, 10)).toEqual([]);
    if (kind.fields) expect((await of.api.patch(job.path, kind.fields)).status).toBe(200);
    await claimSome(world.ctx, job, 10);
    await world.clock.pass("1s");
    const create = () => kind.create(of, job);
    return { job, waiting, create, release: () => complete(holder) };
  }

  it("gets the slot if its rank is better than that of the waiting one", async () => {
    const { job, waiting, create, release } = await full();
    const id = await create();
    await world.clock.pass("1s");
    await release();
    expect(await drain(job)).toEqual([id, waiting]);
  });

  it("waits if it comes after the release", async () => {
    const { job, waiting, create, release } = await full();
    await release();
    await world.clock.pass("1s");
    const id = await create();
    expect(await drain(job)).toEqual([waiting, id]);
  });
});

describe("a run that comes to the limit after the slot was granted waits, whatever its rank", () => {
  it("released by the budget", async () => {
    const of = await budgeted();
    const job = await makeJob(of, { max_concurrency: 1, estimated_cost_microusd: 400_000 });
    await fillQueue(world.ctx, job, 1);
    const holder = await claimOne(world.ctx, job);
    const [waiting] = await fillQueue(world.ctx, job, [{ priority: -5 }]);
    await claimSome(world.ctx, job, 10);
    const { path } = await makeWorkflow(of, { steps: [{ step_ref: "a", job_id: job.id }] });
    const { body: run } = await of.api.post(`${path}/trigger`, {});
    await world.clock.pass("1s");
    await complete(holder);
    await world.clock.pass("1s");
    await of.api.put("/v1/project-budget", { monthly_budget_microusd: 100_000_000, action: "block" });
    await admitBlocked(world.ctx, of.id);
    const { body: steps } = await of.api.get(`/v1/workflow-runs/${run.id}/steps`);
    expect(await drain(job)).toEqual([waiting, steps.data[0].run_id]);
  });

  it("released by the end of the run it depends on", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    const other = await makeJob(project);
    const [before] = await fillQueue(world.ctx, other, 1);
    await fillQueue(world.ctx, job, 1);
    const holder = await claimOne(world.ctx, job);
    const [waiting] = await fillQueue(world.ctx, job, [{ priority: -5 }]);
    await claimSome(world.ctx, job, 10);
    const [dependent] = await fillQueue(world.ctx, job, [{ priority: 5, depends_on_run_ids: [before ?? ""] }]);
    await world.clock.pass("1s");
    await complete(holder);
    await world.clock.pass("1s");
    await complete(await claimOne(world.ctx, other));
    await world.tick("run-outbox");
    expect(await drain(job)).toEqual([waiting, dependent]);
  });
});

it("a run whose wake-up was lost is seen by a claim that begins behind it", async () => {
  const job = await makeJob(project, { max_concurrency: 1 });
  await fillQueue(world.ctx, job, 1);
  const holder = await claimOne(world.ctx, job);
  const [waiting] = await fillQueue(world.ctx, job, [{ priority: -5 }]);
  await claimSome(world.ctx, job, 10);
  await world.clock.pass("1s");
  const [unseen] = await fillQueue(world.ctx, job, 1);
  await world.clock.pass("1s");
  await complete(holder);
  const claimed = await claimLimited(world.ctx, [{ project_id: project.id, run_id: waiting ?? "" }]);
  expect(claimed.map((run) => run.run_id)).toEqual([unseen]);
});

it("a debounced run that is postponed after it was granted a slot passes the slot on", async () => {
  const job = await makeJob(project, { max_concurrency: 1, debounce_window_secs: 2 });
  const of = (key: string) => ({ concurrency_key: key });
  const fill = async (key: string) => (await fillQueue(world.ctx, job, [of(key)]))[0];
  const due = async () => {
    await world.clock.pass("3s");
    await world.tick("release-due-runs");
  };
  await fill("a");
  await due();
  const holder = await claimOne(world.ctx, job);
  await fill("b");
  await due();
  const next = await fill("c");
  await due();
  await claimSome(world.ctx, job, 10);
  await complete(holder);
  await project.api.post(`${job.path}/trigger`, of("b"));
  await until("the slot to be passed on", 20_000, async () => (await grantedOf(next)) === `job:${job.id}`);
  expect(await drain(job)).toEqual([next]);
});

async function grantedOf(run_id: string | undefined): Promise<string | null | undefined> {
  const [row] = await runSql<{ granted_by: string | null }>(
    world.connection,
    "select granted_by from run_queue where run_id = $1",
    [run_id],
  );
  return row?.granted_by;
}
