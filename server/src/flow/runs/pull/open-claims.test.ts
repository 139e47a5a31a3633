import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { makeJob } from "../../../../test/seed/make-workflow.ts";
import { makeClient } from "../../../../test/world/client.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { holdClaim, holdGate, whenBlocked } from "../../../../test/world/queue-world.ts";
import { leaseOf, testWorker } from "../../../../test/world/test-worker.ts";
import { until } from "../../../../test/world/until.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { claimForWorker } from "./claim-for-worker.ts";

let world: World;
let project: TestProject;
let job: { id: string };
beforeEach(async () => {
  world ??= await makeFlowWorld();
  project = await world.project();
  job = await makeJob(project, { name: "Pulled", delivery: "pull", endpoint_url: null });
});

async function trigger(count: number): Promise<void> {
  const items = Array.from({ length: count }, () => ({}));
  const { status, text } = await project.api.post(`/v1/jobs/${job.id}/trigger/bulk`, { items });
  expect(status, text).toBe(200);
}

const serves = { queues: undefined, keyQueues: null, jobs: undefined, environments: undefined };

/** A request that stops where it asks whether its key is still valid: a poll does so when it starts, and when it is woken. */
function gatedClaim(claim_id: string) {
  const asked: (() => void)[] = [];
  const found = claimForWorker(world.ctx, {
    ...{ project_id: project.id, worker_id: "w1", claim_id, serves, max: 2, wait_secs: 20 },
    isClosed: () => false,
    onClose: () => {},
    isAuthorized: () => new Promise((resolve) => asked.push(() => resolve(true))),
  });
  const passGate = async () => {
    await until("the claim to check its key", 20_000, () => asked.length > 0);
    asked.shift()?.();
  };
  return { found, passGate, untilAtGate: () => until("the claim to check its key", 20_000, () => asked.length > 0) };
}

describe("a request that is repeated while it is open", () => {
  it("R21 claims no more than max with all its repetitions, which return the same runs", async () => {
    const [claim_id, worker] = [randomUUID(), testWorker(project.api)];
    const asked = { claim_id, max: 2, wait_secs: 20 };
    const open = [worker.claim(asked), worker.claim(asked), worker.claim(asked)];
    await trigger(6);
    const runs = (await Promise.all(open)).flat();
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(2);
    expect(await worker.claim()).toHaveLength(4);
  });

  it("R21 returns all that the older one claimed, even to a worker that stops and asks for one", async () => {
    const [claim_id, worker] = [randomUUID(), testWorker(project.api)];
    await trigger(3);
    const claimed = await worker.claim({ claim_id, max: 3 });
    expect(claimed).toHaveLength(3);
    const repeated = await worker.claim({ claim_id, max: 1 });
    expect(repeated.map(leaseOf)).toEqual(claimed.map(leaseOf));
  });

  it("R21 the older one ends, and a poll of a key for other runs does not", async () => {
    const [claim_id, { api }] = [randomUUID(), await project.newKey({ scopes: ["runs:work"], queues: ["default"] })];
    const asked = { claim_id, max: 1, wait_secs: 20 };
    const other = testWorker(api).claim(asked);
    const older = testWorker(project.api).claim(asked);
    const newer = testWorker(project.api).claim(asked);
    const ended = await Promise.race([older, newer]);
    expect(ended).toEqual([]);
    await trigger(2);
    const claimed = await Promise.all([other, older, newer]);
    expect(claimed.map(({ length }) => length).reduce((sum, each) => sum + each)).toBe(2);
  });

  it("R21 the newer one returns what the older is claiming", async () => {
    const claim_id = randomUUID();
    await trigger(4);
    const older = gatedClaim(claim_id);
    await older.untilAtGate();
    const newer = testWorker(project.api).claim({ claim_id, max: 2, wait_secs: 20 });
    await older.passGate();
    const ids = new Set([...(await older.found), ...(await newer)].map(({ run_id }) => run_id));
    expect([ids.size, (await newer).length]).toEqual([2, 2]);
  });

  it("R21 the newer one waits for the rest of what the older is claiming, such as runs under a limit", async () => {
    const [claim_id, worker] = [randomUUID(), testWorker(project.api)];
    const limited = await makeJob(project, {
      name: "Limited",
      delivery: "pull",
      endpoint_url: null,
      max_concurrency: 1,
    });
    const one = () => project.api.post(`/v1/jobs/${limited.id}/trigger`, {});
    await one();
    await worker.complete(await worker.claimOne());
    await Promise.all([one(), trigger(1)]);
    const counters = "select 1 from concurrency_counters where project_id = $1 for update";
    const gate = await holdGate(world.connection, counters, [project.id]);
    const older = worker.claim({ claim_id, max: 2 });
    await whenBlocked(world.connection);
    const newer = worker.claim({ claim_id, max: 2, wait_secs: 20 });
    for (let n = 0; n < 3; n++) await project.api.get("/v1/me"); // it has arrived
    await gate.open();
    const idsOf = (runs: { run_id: string }[]) => runs.map(({ run_id }) => run_id).sort();
    expect([(await older).length, idsOf(await newer)]).toEqual([2, idsOf(await older)]);
  });

  it("R21 on another instance: the poll that is left open returns the stored runs and claims no others", async () => {
    const claim_id = randomUUID();
    const older = gatedClaim(claim_id);
    await older.passGate();
    await trigger(5);
    await older.untilAtGate();
    const { url } = await world.anotherInstance();
    const api = makeClient(url, { authorization: `Bearer ${project.key}` });
    const newer = await testWorker(api).claim({ claim_id, max: 2, wait_secs: 20 });
    await older.passGate();
    expect((await older.found).map(({ run_id }) => run_id)).toEqual(newer.map(({ run_id }) => run_id));
    expect(await testWorker(project.api).claim()).toHaveLength(3);
  });
});

describe("a request that two instances receive at the same moment", () => {
  it("R21 claims for one of them: the other waits for its commit, and returns its runs", async () => {
    const [claim_id, worker] = [randomUUID(), testWorker(project.api)];
    await trigger(4);
    const elsewhere = await holdClaim(world.connection, project.id, claim_id);
    const here = worker.claim({ claim_id, max: 2 });
    await whenBlocked(world.connection);
    await elsewhere.open();
    expect(await here).toHaveLength(1);
    expect(await worker.claim()).toHaveLength(3);
  });
});

describe("a request that is repeated after its response", () => {
  it("R21 returns at once what it still holds, and claims nothing more", async () => {
    const [claim_id, worker] = [randomUUID(), testWorker(project.api)];
    const asked = { claim_id, wait_secs: 20 };
    await trigger(2);
    const [first, second, ...others] = await worker.claim({ ...asked, max: 2 });
    if (!first || !second) throw new Error("claimed less than two runs");
    expect(others).toEqual([]);
    await worker.complete(first);
    expect((await worker.claim(asked)).map(leaseOf)).toEqual([leaseOf(second)]);
    await worker.complete(second);
    const repeated = worker.claim(asked);
    await trigger(1);
    expect(await repeated).toEqual([]);
    expect(await worker.claim()).toHaveLength(1);
  });
});
