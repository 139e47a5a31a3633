import { beforeAll, describe, expect, it } from "vitest";
import { seedJob, seedRun } from "../../../test/seed/seed-run.ts";
import { seedWorkflow, seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { fillQueue, makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { findSource } from "../sources/source-rows.ts";
import { findTriggerableWorkflows } from "../workflows/start/triggerable-workflow.ts";
import { cancelWorkflowRun } from "../workflows/stop/cancel-workflow-run.ts";
import { pauseWorkflowRun } from "../workflows/stop/pause-workflow-run.ts";
import { readWorkflowRun } from "../workflows/workflow-run-columns.ts";
import { findTriggerableJobs } from "./create/triggerable-job.ts";
import { blockLane, openCircuit } from "./dispatch/circuits.ts";
import { eraseRun } from "./maintain/erase-run.ts";
import { replayRun } from "./replay/replay-runs.ts";
import { readRun } from "./run-columns.ts";
import { cancelRun } from "./stop/cancel-runs.ts";
import { discardRuns } from "./stop/dead-letters.ts";
import { pauseRun } from "./stop/pause-run.ts";

let world: World;
let owner: TestProject;
let other: TestProject;
let project_id: string;
beforeAll(async () => {
  world = await makeWorld();
  owner = await world.project();
  other = await world.project();
  project_id = other.id;
});

const nothing = async () => {};
const CANCEL = { cause: "canceled", reason: null, by: { id: null, name: "test" } } as const;

/** The layers above check first whether the caller's project has such a run; these do not rely on it. */
describe("the id of another project's run", () => {
  const rowOf = (id: string) => runSql(world.connection, "select * from runs where id = $1", [id]);

  it("is not found by functions that read, cancel or pause runs", async () => {
    const run_id = await seedRun(world.connection, owner.id, { status: "pending" });
    const before = await rowOf(run_id);
    expect(await readRun(world.ctx, project_id, run_id)).toBeUndefined();
    const canceled = await cancelRun(world.ctx, { project_id, run_id, ...CANCEL });
    expect(canceled).toMatchObject({ canceled: false, status: undefined });
    expect(await pauseRun(world.ctx, { project_id, run_id }, nothing)).toBe(false);
    expect(await rowOf(run_id)).toEqual(before);
  });

  it("is not found by functions that replay, discard or erase runs", async () => {
    const run_id = await seedRun(world.connection, owner.id, { status: "failed", is_dead_letter: true });
    const before = await rowOf(run_id);
    const replay = { by: { id: null, name: "test" }, edits: {}, alongside: nothing };
    expect(await replayRun(world.ctx, { project_id, run_id }, replay)).toBeUndefined();
    expect(await inTransaction(world.ctx, (tx) => discardRuns(tx, project_id, [run_id]))).toBe(0);
    expect(await inTransaction(world.ctx, (tx) => eraseRun(tx, { project_id, run_id }))).toBe(false);
    expect(await rowOf(run_id)).toEqual(before);
  });
});

describe("the id of another project's workflow run", () => {
  it("is not found by functions that read, cancel or pause workflow runs", async () => {
    const workflow_run_id = await seedWorkflowRun(world.connection, owner.id, { status: "running" });
    const key = { project_id, workflow_run_id };
    expect(await readWorkflowRun(world.ctx, project_id, workflow_run_id)).toBeUndefined();
    expect(await cancelWorkflowRun(world.ctx, key, CANCEL)).toMatchObject({ canceled: false, status: undefined });
    expect(await pauseWorkflowRun(world.ctx, key, { id: null, name: "test" }, nothing)).toBe(false);
    expect(await readWorkflowRun(world.ctx, owner.id, workflow_run_id)).toMatchObject({ status: "running" });
  });
});

describe("the id of another project's job, workflow or event source", () => {
  it("is not found by functions that start runs", async () => {
    const [job, workflow] = [await seedJob(world.connection, owner.id), await seedWorkflow(world.connection, owner.id)];
    expect((await findTriggerableJobs(world.ctx, owner.id, [job.id])).size).toBe(1);
    expect((await findTriggerableJobs(world.ctx, project_id, [job.id])).size).toBe(0);
    expect((await findTriggerableWorkflows(world.ctx, owner.id, [workflow.id])).size).toBe(1);
    expect((await findTriggerableWorkflows(world.ctx, project_id, [workflow.id])).size).toBe(0);
    const { body: source } = await owner.api.post("/v1/event-sources", { name: "Owned" });
    expect(await findSource(world.ctx, owner.id, source.slug)).toMatchObject({ id: source.id });
    expect(await findSource(world.ctx, project_id, source.slug)).toBeUndefined();
  });
});

describe("the open circuit of a host that another project uses, too", () => {
  it("blocks no run of that project, however many come before its own", async () => {
    const job = await makeJob(owner);
    const sameHost = await makeJob(other, { endpoint_url: `http://${job.host}/` });
    await fillQueue(world.ctx, sameHost, 1_000); // a page of `blockLane`
    const blockedOf = async ({ id }: TestJob) =>
      (await runSql(world.connection, "select blocked_on from run_queue where job_id = $1", [id]))[0]?.blocked_on;
    await fillQueue(world.ctx, job, 1);
    await openCircuit(world.ctx, job, "it does not answer");
    await blockLane(world.ctx, job);
    expect([await blockedOf(job), await blockedOf(sameHost)]).toEqual([`circuit:${job.host}`, null]);
  });
});
