import { beforeAll, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { runningRun } from "../../../../test/seed/running-run.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { waitingRun } from "../../../../test/seed/waiting-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
let emitter: string;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
  bench = await workflowBench(world, project);
  emitter = await bench.save([{ step_ref: "emit", event_emit_key: "{{payload.to}}" }]);
});

const treeOf = async (root_run_id: string) =>
  (
    await runSql<{ runs: number }>(world.connection, "select runs from run_trees where root_run_id = $1", [root_run_id])
  )[0]?.runs;
const reasonOf = async (run_id: string) =>
  (
    await runSql<{ reason: string }>(
      world.connection,
      "select reason from workflow_decisions where workflow_run_id = $1 and decision_type = 'emit'",
      [run_id],
    )
  )[0]?.reason;
const depthOf = async (table: string, id: string) =>
  (await runSql<{ chain_depth: number }>(world.connection, `select chain_depth from ${table} where id = $1`, [id]))[0]
    ?.chain_depth;

describe("a tree of runs", () => {
  it("R14 is counted by its root run, over all generations and both ways to start a child", async () => {
    const job = await seedJob(world.connection, project.id);
    const root = await runningRun(world, project);
    const child = await runningRun(world, project, { parent_run_id: root.run_id });
    await root.sdk.post("/spawn", { job_id: job.id });
    await child.sdk.post("/spawn", { job_id: job.id });
    expect(await treeOf(root.run_id)).toBe(3);
    const body = { parent_run_id: child.run_id, delay_secs: 60 };
    await project.api.post(`/v1/jobs/${job.id}/trigger`, body);
    await project.api.post(`/v1/jobs/${job.id}/trigger`, { ...body, dry_run: true });
    expect(await treeOf(root.run_id)).toBe(4);
    const repeated = { job_id: job.id, idempotency_key: "once" };
    await root.sdk.post("/spawn", repeated);
    await root.sdk.post("/spawn", repeated);
    expect(await treeOf(root.run_id)).toBe(5);
  });

  it("R14 grows to 100,000 runs, and the next is refused with a code and not created", async () => {
    const job = await seedJob(world.connection, project.id);
    const root = await runningRun(world, project);
    await root.sdk.post("/spawn", { job_id: job.id });
    await runSql(world.connection, "update run_trees set runs = 99999 where root_run_id = $1", [root.run_id]);
    expect((await root.sdk.post("/spawn", { job_id: job.id })).status).toBe(201);
    const refused = await root.sdk.post("/spawn", { job_id: job.id });
    expect([refused.status, refused.body.code]).toEqual([422, "run_tree_too_large"]);
    for (const dry_run of [false, true]) {
      const body = { parent_run_id: root.run_id, delay_secs: 60, dry_run };
      const triggered = await project.api.post(`/v1/jobs/${job.id}/trigger`, body);
      expect([triggered.status, triggered.body.code]).toEqual([422, "run_tree_too_large"]);
    }
    const children = await runSql(world.connection, "select 1 from runs where parent_run_id = $1", [root.run_id]);
    expect(children).toHaveLength(2);
  });

  it("R14 counts each of many concurrent children", async () => {
    const job = await seedJob(world.connection, project.id);
    const root = await runningRun(world, project);
    const others = await Promise.all(
      Array.from({ length: 4 }, () => runningRun(world, project, { parent_run_id: root.run_id })),
    );
    await Promise.all(
      others.flatMap(({ sdk }) => [sdk.post("/spawn", { job_id: job.id }), sdk.post("/spawn", { job_id: job.id })]),
    );
    expect(await treeOf(root.run_id)).toBe(9);
  });
});

describe("a chain of emitted events", () => {
  it("W4 is as deep as the number of events that led to it, through steps and runs that received them", async () => {
    const [first, second] = [`a-${newId()}`, `b-${newId()}`];
    const relay = await bench.save([
      { step_ref: "wait", type: "wait_for_event", event_key: "{{payload.from}}" },
      { step_ref: "emit", depends_on: ["wait"], event_emit_key: "{{payload.to}}" },
    ]);
    const { run } = await bench.run(relay, { payload: { from: first, to: second } });
    const waiting = await waitingRun(world, project, { event_key: second });
    await bench.run(emitter, { payload: { to: first } });
    expect([await depthOf("workflow_runs", run.id), await depthOf("runs", waiting.run_id)]).toEqual([1, 2]);
  });

  it("W4 stops at fifty: the event is not sent, explain shows why, and the step has completed", async () => {
    const key = `end-${newId()}`;
    const start = async (chain_depth: number) => {
      const id = await bench.start(emitter, { payload: { to: key }, delay_secs: 60 });
      await runSql(
        world.connection,
        "update workflow_runs set chain_depth = $2, scheduled_at = clock() where id = $1",
        [id, chain_depth],
      );
      await world.runUntilIdle();
      return id;
    };
    const waiting = await waitingRun(world, project, { event_key: key });
    const refused = await start(50);
    expect(await reasonOf(refused)).toBe(
      `did not send ${key}: it would be event 51 of a chain, and at most 50 are allowed`,
    );
    expect((await bench.read(refused)).run.status).toBe("completed");
    expect((await project.api.get(`/v1/events/${key}`)).body.status).toBe("waiting");
    const sent = await start(49);
    expect(await reasonOf(sent)).toBe(`sent ${key} to the run ${waiting.run_id}`);
  });

  it("T17 an event that a run dispatches continues the chain of those it received", async () => {
    const key = `mixed-${newId()}`;
    const waiting = await waitingRun(world, project, { event_key: key });
    await bench.run(emitter, { payload: { to: key } });
    const source = (await project.api.post("/v1/event-sources", { name: `Mixed ${newId()}` })).body;
    const { body } = await project.api.post("/v1/events/dispatch", {
      source: source.id,
      parent_run_id: waiting.run_id,
    });
    expect(body.chain_depth).toBe(2);
  });
});
