import { beforeEach, describe, expect, it } from "vitest";
import { makeJob } from "../../../../test/seed/make-workflow.ts";
import { makeClient } from "../../../../test/world/client.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { type Claimed, testWorker } from "../../../../test/world/test-worker.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { rememberedLease } from "./handed-leases.ts";
import { settleForWorker } from "./settle-for-worker.ts";

let world: World;
let project: TestProject;
let path: string;
beforeEach(async () => {
  world ??= await makeFlowWorld();
  project = await world.project();
  const job = await makeJob(project, { name: "Pulled", delivery: "pull", endpoint_url: null });
  path = `/v1/jobs/${job.id}/trigger`;
});

async function claimedRun(): Promise<Claimed> {
  await project.api.post(path, {});
  return testWorker(project.api).claimOne();
}

const isRemembered = ({ run_id, attempt, lease_token }: Claimed) =>
  rememberedLease(world.ctx, { project_id: project.id, run_id, attempt, lease_token }) !== undefined;

/** What it reads before it settles. */
function countingReads() {
  let reads = 0;
  const { db } = world.ctx;
  const query: typeof db.query = (text, parameters) => {
    if (text.includes("q.worker_id is not null) is true")) reads++;
    return db.query(text, parameters);
  };
  return { db: { ...db, query }, reads: () => reads };
}

describe("leases that an instance has handed to workers", () => {
  it("R23 are settled without being read, and forgotten", async () => {
    const { db, reads } = countingReads();
    const other = await world.project();
    const run = await claimedRun();
    const report = { ...run, project_id: project.id, outcome: { kind: "drained" as const } };
    const ctx = Object.create(world.ctx, { db: { value: db } });
    expect(await settleForWorker(ctx, { ...report, project_id: other.id })).toBe(false);
    expect(isRemembered(run)).toBe(true);
    expect(await settleForWorker(ctx, report)).toBe(true);
    expect([isRemembered(run), reads()]).toEqual([false, 1]);
  });

  it("R23 are read where another instance has handed them out", async () => {
    const run = await claimedRun();
    const { url } = await world.anotherInstance();
    const elsewhere = testWorker(makeClient(url, { authorization: `Bearer ${project.key}` }));
    expect(await elsewhere.complete(run)).toMatchObject({ outcome: "settled", status: "completed" });
    expect(await testWorker(project.api).complete(run)).toMatchObject({ outcome: "duplicate" });
  });

  it("R22 that were lost settle nothing, although they are remembered", async () => {
    const run = await claimedRun();
    for (const duration of ["16s", "60s"]) {
      await world.clock.pass(duration);
      await world.runUntilIdle();
    }
    const again = await testWorker(project.api, "w2").claimOne();
    expect([again.run_id, again.attempt, isRemembered(run)]).toEqual([run.run_id, 2, true]);
    expect(await testWorker(project.api).complete(run)).toMatchObject({ outcome: "lost" });
    expect(await testWorker(project.api, "w2").complete(again)).toMatchObject({ outcome: "settled" });
  });
});
