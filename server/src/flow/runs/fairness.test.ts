import { beforeAll, describe, expect, it } from "vitest";
import { jainIndex } from "../../../test/oracles/sweep-line.ts";
import { type JobEndpoint, jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { manyProjects, manyQueued } from "../../../test/seed/bulk-rows.ts";
import { randomFrom, testSeed } from "../../../test/seed/seed.ts";
import { runSql } from "../../../test/world/database.ts";
import { claimSome, fillQueue, makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import { until } from "../../../test/world/until.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { dispatcherOf } from "../../engine/dispatcher.ts";
import { openLaneRotation } from "../../engine/lane-rotation.ts";
import { claimRuns } from "./claim/claim-runs.ts";
import { findLanes } from "./claim/lanes.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
  project = await world.project();
});

/** The keys of a job's runs in the order in which they start, a number at a time. */
async function startKeys(job: TestJob, max: number, share = 50): Promise<string[]> {
  const started: string[] = [];
  while (started.length < max) {
    const claimed = await claimSome(world.ctx, job, Math.min(share, max - started.length));
    if (claimed.length === 0) break;
    const rows = await runSql<{ key: string }>(
      world.connection,
      `select r.concurrency_key as key from unnest($1::uuid[]) with ordinality as c(id, nth)
       join runs r on r.id = c.id order by c.nth`,
      [claimed.map((run) => run.run_id)],
    );
    started.push(...rows.map((row) => row.key));
  }
  return started;
}

const keyed = (key: string, count: number) => Array.from({ length: count }, () => ({ concurrency_key: key }));

function countEach(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

describe("keys of one job", () => {
  it("R4 share the starts: Jain's index over those still queued is 0.95 or more at every 100th start", async () => {
    const random = randomFrom(testSeed("keys"));
    const job = await makeJob(project);
    const wanted = Array.from({ length: 20 }, (_, nth) => keyed(`k${nth}`, 1 + nth * 3)).flat();
    for (let at = wanted.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      const [one, another] = [wanted[at], wanted[other]];
      if (!one || !another) continue;
      wanted[at] = another;
      wanted[other] = one;
    }
    await fillQueue(world.ctx, job, wanted);
    const queued = countEach(wanted.map((trigger) => trigger.concurrency_key));
    const started = await startKeys(job, wanted.length, 50);
    expect(started).toHaveLength(wanted.length);
    for (let at = 100; at < started.length; at += 100) {
      const starts = countEach(started.slice(0, at));
      const waiting = [...queued].filter(([key, count]) => count > (starts.get(key) ?? 0)).map(([key]) => key);
      expect(jainIndex(waiting.map((key) => starts.get(key) ?? 0)), `at ${at}`).toBeGreaterThanOrEqual(0.95);
    }
  });

  it("the (k+1)-th of a key starts behind the k-th of every other, also of a key that comes later", async () => {
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, keyed("early", 60));
    expect(await startKeys(job, 20, 5)).toEqual(Array(20).fill("early"));
    await fillQueue(world.ctx, job, keyed("late", 30));
    await fillQueue(world.ctx, job, keyed("latest", 10));
    const started = await startKeys(job, 100, 7);
    const places = (key: string) => started.flatMap((each, place) => (each === key ? [place] : []));
    for (const [mine, other] of [
      ["early", "late"],
      ["late", "early"],
      ["latest", "late"],
      ["late", "latest"],
    ] as const) {
      const others = places(other);
      for (const [k, place] of places(mine).slice(1).entries()) expect(place).toBeGreaterThan(others[k] ?? -1);
    }
  });

  it("a run due tomorrow does not delay today's runs, and does not start before its time", async () => {
    const job = await makeJob(project);
    const [late] = await fillQueue(world.ctx, job, [{ concurrency_key: "a", delay_secs: 86_400 }]);
    const now = await fillQueue(world.ctx, job, [...keyed("a", 1), ...keyed("b", 1)]);
    const rows = await runSql<{ run_id: string; is_ahead: boolean }>(
      world.connection,
      "select run_id, rank_at > clock() + interval '1 second' as is_ahead from run_queue where job_id = $1",
      [job.id],
    );
    expect(rows.filter((row) => row.is_ahead).map((row) => row.run_id)).toEqual([late]);
    expect((await claimSome(world.ctx, job, 10)).map((run) => run.run_id).sort()).toEqual([...now].sort());
  });
});

describe("priority", () => {
  it("R8 each point moves a run a minute ahead in the queue, so that no run waits forever", async () => {
    const random = randomFrom(testSeed("priority"));
    const job = await makeJob(project);
    const priorities = Array.from({ length: 60 }, () => Math.floor(random() * 201) - 100);
    const ids = await fillQueue(
      world.ctx,
      job,
      priorities.map((priority) => ({ priority })),
    );
    const priorityOf = new Map(ids.map((id, nth) => [id, priorities[nth] ?? 0]));
    const [patient = ""] = await fillQueue(world.ctx, job, [{ priority: -100 }]);
    await runSql(
      world.connection,
      "update run_queue set rank_at = rank_at - interval '201 minutes' where run_id = $1",
      [patient],
    );
    const claimed = await claimSome(world.ctx, job, 100);
    expect(claimed[0]?.run_id).toBe(patient);
    const order = claimed.slice(1).map((run) => priorityOf.get(run.run_id) ?? 0);
    expect(order).toEqual(priorities.toSorted((a, b) => b - a));
  });
});

describe("projects", () => {
  let crowded: World;
  beforeAll(async () => {
    crowded = await makeWorld();
    await untilUp([crowded]);
  });

  it("hundreds with one due run each all start within as many claims as their pages need", async () => {
    await manyProjects(crowded.connection, 600);
    const rotation = openLaneRotation();
    let after: { project_id: string; host: string } | undefined;
    do {
      const lanes = await findLanes(crowded.ctx, after, 256);
      after = lanes.length === 256 ? lanes.at(-1) : undefined;
      for (const lane of lanes) rotation.add(lane);
    } while (after);
    let claims = 0;
    let started = 0;
    while (!rotation.isEmpty()) {
      const lanes = rotation.take(200, () => 200);
      const { claimed, seen } = await claimRuns(crowded.ctx, lanes);
      rotation.putBack(lanes, seen);
      claims++;
      started += claimed.length;
    }
    expect(started).toBe(600);
    expect(claims).toBeLessThanOrEqual(Math.ceil(600 / 64) + 1);
  });

  it("ten runs of a small one start among the next hundred, while a large one has thousands queued", async () => {
    const instance = await crowded.anotherInstance({ dispatch_concurrency: 20 });
    const endpoint = await jobEndpoint();
    const [large, small] = [await crowded.project(), await crowded.project()];
    const jobs = [
      await makeJob(large, { endpoint_url: endpoint.url }),
      await makeJob(small, { endpoint_url: endpoint.url }),
    ];
    if (!jobs[0] || !jobs[1]) throw new Error("no jobs");
    await manyQueued(crowded.connection, jobs[0], { count: 2_000 });
    instance.service.startTasks();
    await until("the large one to be under way", 40_000, () => endpoint.dispatches.length > 60);
    const ten = new Set(await fillQueue(instance.ctx, jobs[1], 10));
    const before = endpoint.dispatches.length;
    const arrived = () => endpoint.dispatches.flatMap(({ run_id }, nth) => (ten.has(run_id) ? [nth - before] : []));
    await until("the ten to start", 40_000, () => arrived().length === 10);
    await instance.service.close();
    expect(Math.max(...arrived())).toBeLessThan(110 + 20);
  });
});

describe("hosts", () => {
  it("one that does not respond gets at most a quarter of the slots, and does not delay another", async () => {
    const { ctx } = await world.anotherInstance({ dispatch_concurrency: 20 });
    const dispatcher = dispatcherOf(ctx);
    const [slow, quick] = [await jobEndpoint(), await jobEndpoint()];
    slow.respondWith(() => {});
    const jobs = [
      await makeJob(project, { endpoint_url: slow.url }),
      await makeJob(project, { endpoint_url: quick.url }),
    ];
    if (!jobs[0] || !jobs[1]) throw new Error("no jobs");
    await fillQueue(world.ctx, jobs[0], 60);
    await fillQueue(world.ctx, jobs[1], 120);
    // Not by wake-ups, which would name one host before the other.
    await dispatcher.poll();
    await until("half of the quick ones", 20_000, () => quick.dispatches.length >= 60);
    expect(inFlight(slow)).toBeLessThanOrEqual(5);
    await until("the other half", 20_000, () => quick.dispatches.length === 120);

    // Alone it may have three quarters: a quarter is left for the next host.
    await until("it to have its fill", 20_000, () => inFlight(slow) === 15);
    await fillQueue(world.ctx, jobs[1], 20);
    await dispatcher.poll();
    await until("those who came next", 20_000, () => quick.dispatches.length === 140);
    expect(inFlight(slow)).toBe(15);
    await dispatcher.drain(0);
  });
});

function inFlight({ dispatches }: JobEndpoint): number {
  return dispatches.filter((dispatch) => dispatch.ended_at === undefined).length;
}
