import { beforeAll, describe, expect, it } from "vitest";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import {
  claimOne,
  claimSome,
  fillQueue,
  type Gate,
  holdGate,
  makeJob,
  type TestJob,
} from "../../../test/world/queue-world.ts";
import { until } from "../../../test/world/until.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import { claimLimited } from "../runs/claim/claim-limited.ts";
import type { ClaimedRun } from "../runs/claim/claimed-run.ts";
import { LANES_TOPIC, readLane } from "../runs/claim/lanes.ts";
import { settleRuns } from "../runs/settle/settle-runs.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

const complete = (run: ClaimedRun) =>
  settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);

const idsOf = (claimed: readonly ClaimedRun[]) => claimed.map((run) => run.run_id);

/** What a claim decides that has chosen this run alone. */
const claimAlone = async (run_id: string | undefined) =>
  idsOf(await claimLimited(world.ctx, [{ project_id: project.id, run_id: run_id ?? "" }]));

let nth = 0;
async function makeQueue(fields: object): Promise<string> {
  const name = `unseen-${nth++}`;
  expect((await project.api.post("/v1/queues", { name, ...fields })).status).toBe(201);
  return name;
}

const hold = (run_id: string | undefined): Promise<Gate> =>
  holdGate(world.connection, "select 1 from run_queue where run_id = $1 for update", [run_id]);

const RATE = { max: 1, window_secs: 10 };
const LIMITS: [string, () => Promise<object>][] = [
  ["max_concurrency", async () => ({ max_concurrency: 1 })],
  ["max_concurrency_per_key", async () => ({ max_concurrency_per_key: 1 })],
  ["a rate limit", async () => ({ rate_limit_max: RATE.max, rate_limit_window_secs: RATE.window_secs })],
  ["a named rate limit", async () => ({ rate_limit_keys: [{ name: "t", key: "{{payload.t}}", ...RATE }] })],
  ["max_concurrency of a queue", async () => ({ queue: await makeQueue({ max_concurrency: 1 }) })],
  [
    "the rate limit of a queue",
    async () => ({ queue: await makeQueue({ rate_limit_max: RATE.max, rate_limit_window_secs: RATE.window_secs }) }),
  ],
];

const fill = async (job: TestJob, priority: number) =>
  (await fillQueue(world.ctx, job, [{ priority, concurrency_key: "k", payload: { t: "a" } }]))[0];

/**
 * A run in the only slot, one of low priority or more that wait for it, and a better one that no claim has seen when the
 * slot is released.
 */
async function releaseBefore(waiting: TestJob, unseen: TestJob = waiting, more = 0) {
  await fill(waiting, 0);
  const holder = await claimOne(world.ctx, waiting);
  const worse = await fill(waiting, -5);
  for (let nth = 0; nth < more; nth++) await fill(waiting, -5);
  expect(await claimSome(world.ctx, waiting, 10)).toEqual([]);
  await world.clock.pass("11s");
  const better = await fill(unseen, 10);
  await world.clock.set(new Date(Date.parse(await world.clock.now()) + 300).toISOString());
  await complete(holder);
  await world.tick("release-rate-limits");
  return { worse, better };
}

describe.each(LIMITS)("a slot of %s that is released before a claim has come to the best run", (_, limits) => {
  it("goes to that run, whose row another claim holds, and then to the one that waited", async () => {
    const job = await makeJob(project, await limits());
    const { worse, better } = await releaseBefore(job);
    const gate = await hold(better);
    expect(await claimAlone(worse)).toEqual([]);
    await gate.open();
    const [first, ...others] = await claimSome(world.ctx, job, 10);
    expect([first?.run_id, ...idsOf(others)]).toEqual([better]);
    await complete(first as ClaimedRun);
    await world.clock.pass("11s");
    await world.tick("release-rate-limits");
    expect(idsOf(await claimSome(world.ctx, job, 10))).toEqual([worse]);
  });

  it("goes to that run although others also wait and a claim has first blocked it behind them", async () => {
    const job = await makeJob(project, await limits());
    const { worse, better } = await releaseBefore(job, job, 1);
    const first = await claimAlone(better);
    expect([...first, ...(await claimAlone(worse)), ...idsOf(await claimSome(world.ctx, job, 10))]).toEqual([better]);
  });

  it("goes to the one that waits if the other is canceled", async () => {
    const job = await makeJob(project, await limits());
    const { worse, better } = await releaseBefore(job);
    const gate = await hold(better);
    expect(await claimAlone(worse)).toEqual([]);
    await gate.open();
    expect((await project.api.post(`/v1/runs/${better}/cancel`)).status).toBe(200);
    expect(idsOf(await claimSome(world.ctx, job, 10))).toEqual([worse]);
  });
});

describe("a claim that has chosen a run of worse rank", () => {
  it("finds the better one behind other jobs' runs in the lane", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    const crowd = await makeJob(project, { endpoint_url: `http://${job.host}/` });
    const { worse, better } = await releaseBefore(job);
    await fillQueue(world.ctx, crowd, Array(20).fill({ priority: 50 }));
    expect(await claimAlone(worse)).toEqual([better]);
  });

  it("wakes the lane if it has left the slot to the better one", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    const { worse, better } = await releaseBefore(job);
    const gate = await hold(better);
    const woken: (string | undefined)[] = [];
    world.ctx.wakeup.onWake(LANES_TOPIC, (detail) => woken.push(readLane(detail)?.host));
    await claimAlone(worse);
    await until("the wake-up", 20_000, () => woken.includes(job.host));
    await gate.open();
  });

  it("leaves the slot to the better one of another lane, but for a second only: nobody may serve that lane", async () => {
    const queue = await makeQueue({ max_concurrency: 1 });
    const [waiting, unseen] = [await makeJob(project, { queue }), await makeJob(project, { queue })];
    const { worse, better } = await releaseBefore(waiting, unseen);
    expect(await claimSome(world.ctx, waiting, 10)).toEqual([]);
    const [first] = await claimSome(world.ctx, unseen, 10);
    expect(first?.run_id).toBe(better);
    await complete(first as ClaimedRun);
    const next = await claimOne(world.ctx, waiting);
    expect(next.run_id).toBe(worse);
    await complete(next);

    const again = await releaseBefore(waiting, unseen);
    expect(await claimSome(world.ctx, waiting, 10)).toEqual([]);
    await world.clock.pass("1s");
    expect(idsOf(await claimSome(world.ctx, waiting, 10))).toEqual([again.worse]);
  });

  it("takes the slot if the better one came after the release", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    const { worse, better } = await releaseBefore(job);
    await project.api.post(`/v1/runs/${better}/cancel`);
    await world.clock.pass("1s");
    const gate = await hold(await fill(job, 10));
    expect(await claimAlone(worse)).toEqual([worse]);
    await gate.open();
  });
});
