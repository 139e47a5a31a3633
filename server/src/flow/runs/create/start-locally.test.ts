import { beforeAll, describe, expect, it } from "vitest";
import { type JobEndpoint, jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { fillQueue, holdGate, makeJob, type TestJob, whenBlocked } from "../../../../test/world/queue-world.ts";
import { untilUp } from "../../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { dispatcherOf } from "../../../engine/dispatcher.ts";
import type { CountedLane } from "../claim/lanes.ts";
import { prepareRun } from "./prepare-run.ts";
import { chooseStarts, connectStarter } from "./start-locally.ts";
import { findTriggerableJob } from "./triggerable-job.ts";

let world: World;
let project: TestProject;
let endpoint: JobEndpoint;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  endpoint = await jobEndpoint();
});

const laneOf = ({ project_id, host }: TestJob): CountedLane => ({ project_id, host, rank_at: "-infinity" });

/** A dispatcher that claims only when it is woken here, in the middle of a claim of three runs. */
async function duringClaim(slots: number, count: number | undefined) {
  const instance = await world.anotherInstance({ dispatch_concurrency: slots });
  await untilUp([instance]);
  const dispatcher = dispatcherOf(instance.ctx);
  const job = await makeJob(project, { endpoint_url: endpoint.url });
  await fillQueue(world.ctx, job, 3);
  const gate = await holdGate(world.connection, "lock table runs in access exclusive mode");
  dispatcher.wake({ ...laneOf(job), ...(count !== undefined && { count }) });
  await whenBlocked(world.connection);
  const finish = async () => {
    await gate.open();
    await dispatcher.idle();
  };
  return { ...dispatcher, lane: laneOf(job), finish };
}

describe("runs triggered during a claim", () => {
  it("R1 start at once if there are slots for the claimed ones, too", async () => {
    const { starter, lane, finish } = await duringClaim(20, 3);
    expect(starter.reserve(lane, 12)).toBe(12); // of the 15 that a host alone may have
    expect(starter.reserve(lane, 1)).toBe(0);
    starter.release(lane.host, 12);
    await finish();
  });

  it("R1 are queued if it is not known how many already are", async () => {
    const { starter, lane, finish } = await duringClaim(20, undefined);
    expect(starter.reserve(lane, 1)).toBe(0);
    await finish();
    expect(starter.reserve(lane, 1)).toBe(1);
    starter.release(lane.host, 1);
  });

  it("R1 are queued behind runs of their host that arrived during the claim and exceed the slots", async () => {
    const { starter, wake, lane, finish } = await duringClaim(20, 3);
    wake({ ...lane, count: 12 });
    expect(starter.reserve(lane, 1)).toBe(0);
    await finish();
  });
});

describe("runs that have to be claimed", () => {
  it("R1 do not start at once with a paused or otherwise limited job, a key, no budget left, or a later time", async () => {
    const { ctx } = await world.anotherInstance();
    connectStarter(ctx, { reserve: (_, wanted) => wanted, release: () => {}, start: () => {} });
    const { id } = await makeJob(project);
    const job = await findTriggerableJob(ctx, project.id, id);
    if (!job) throw new Error("no such job");
    const run = prepareRun(job, { created_by: "test", trigger_type: "api" });
    expect(chooseStarts(ctx, [run]).ids).toEqual(new Set([run.id]));
    const later = [{ scheduled_at: "2099-01-01T00:00:00Z" }, { delay_secs: 1 }] as const;
    const held = [
      { is_job_paused: true },
      { is_job_limited: true, sole_max_concurrency: null },
      { concurrency_key: "k" },
      { is_over_budget: true },
    ] as const;
    for (const field of [...held, ...later]) expect(chooseStarts(ctx, [{ ...run, ...field }]).ids.size).toBe(0);
    const limited = { ...run, is_job_limited: true, sole_max_concurrency: 5 };
    expect(chooseStarts(ctx, [limited]).ids).toEqual(new Set([run.id]));
  });

  it("R1 start in order of priority when there are not enough slots for all", async () => {
    const { ctx } = await world.anotherInstance();
    connectStarter(ctx, { reserve: () => 2, release: () => {}, start: () => {} });
    const { id } = await makeJob(project);
    const job = await findTriggerableJob(ctx, project.id, id);
    if (!job) throw new Error("no such job");
    const prepare = (priority: number) => prepareRun(job, { created_by: "test", trigger_type: "api", priority });
    const [low, first, second, high] = [prepare(0), prepare(1), prepare(1), prepare(2)];
    const { ids } = chooseStarts(ctx, [low, first, second, high]);
    expect(ids).toEqual(new Set([first.id, high.id]));
  });
});
