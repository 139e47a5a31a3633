import { beforeAll, describe, expect, it } from "vitest";
import { childrenOf, mapOf, sub, upTo, workflowRunStatus } from "../../../../test/costs/map-bench.ts";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { holderOf } from "../../../../test/seed/running-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { claimSome, fillQueue, makeJob, type TestJob } from "../../../../test/world/queue-world.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { sendEvent } from "../../events/send-event.ts";
import { settleRuns } from "../../runs/settle/settle-runs.ts";
import { progressRuns } from "../progress/progress-runs.ts";
import { whenProgressed } from "../progress/progress-soon.ts";
import { startDueRuns } from "../start/start-due-runs.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
let job: TestJob;

beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
  bench = await workflowBench(world, project);
  job = await makeJob(project, { max_concurrency: 5 });
});

const verb = (id: string, name: string) => project.api.post(`/v1/workflow-runs/${id}/${name}`);
const claimAll = () => claimSome(world.ctx, job, 500);
const queued = () =>
  runSql(world.connection, "select run_id, stopped, lease_until from run_queue where job_id = $1", [job.id]);

async function endAll(): Promise<void> {
  await world.runUntilIdle();
  for (const { id } of (await project.api.get("/v1/workflow-runs?status=running,paused&limit=100")).body.data) {
    await verb(id, "cancel");
  }
  await world.runUntilIdle();
}

/** A child that waits for an event and then charges. */
async function chargingChild(): Promise<string> {
  return bench.save([
    { step_ref: "w", type: "wait_for_event", event_key: "{{payload.item}}" },
    { step_ref: "charge", job_id: job.id, depends_on: ["w"] },
  ]);
}

describe("canceling a workflow run", () => {
  it("stops the items of a map that wait for a limit, before their ends are written", async () => {
    const map = mapOf(bench, { job_id: job.id, max_parallel: 200 });
    const id = await bench.start(await bench.save([map]), { payload: { list: upTo(15) } });
    const claimed = await claimAll();
    expect(claimed).toHaveLength(5);
    const { body } = await verb(id, "cancel");
    expect(body).toMatchObject({ status: "canceled", descendants: { in_flight: 5, pending: 10 } });
    expect(await claimAll()).toEqual([]);
    await world.runUntilIdle();
    expect(await queued()).toEqual([]);
    expect(await claimAll()).toEqual([]);
  });

  it("stops the next steps of sub-workflows, although each is canceled after it", async () => {
    const map = mapOf(bench, { workflow_id: await chargingChild(), job_id: undefined, max_parallel: 100 });
    const id = await bench.start(await bench.save([map]), { payload: { list: ["s1", "s2", "s3"] } });
    await world.runUntilIdle();
    await verb(id, "cancel");
    const children = await childrenOf(project, id);
    expect(children.map((child: { status: string }) => child.status)).toEqual(["running", "running", "running"]);
    for (const event_key of ["s1", "s2", "s3"]) await project.api.post(`/v1/events/${event_key}/send`, {});
    await progressRuns(
      world.ctx,
      children.map((child: { id: string }) => ({ project_id: project.id, workflow_run_id: child.id })),
    );
    expect(await queued()).toEqual([]);
    await world.runUntilIdle();
    expect(await queued()).toEqual([]);
    for (const child of children) expect(await workflowRunStatus(project, child.id)).toBe("canceled");
  });

  it("starts no next step of a sub-workflow whose job run ends before it is canceled too", async () => {
    const child = await bench.save([
      { step_ref: "a", job_id: job.id },
      { step_ref: "charge", job_id: job.id, depends_on: ["a"] },
    ]);
    const id = await bench.start(await bench.save([sub(child)]));
    while (await startDueRuns(world.ctx)) await whenProgressed(world.ctx);
    const [claimed] = await claimAll();
    const [below] = await childrenOf(project, id);
    await verb(id, "cancel");
    expect(await workflowRunStatus(project, below.id)).toBe("running");
    const outcome = { kind: "completed" as const, result_json: "null" };
    expect(claimed && (await settleRuns(world.ctx, [{ run: claimed, outcome }]))).toEqual([true]);
    await progressRuns(world.ctx, [{ project_id: project.id, workflow_run_id: below.id }]);
    expect(await queued()).toEqual([]);
    await endAll();
    expect(await workflowRunStatus(project, below.id)).toBe("canceled");
  });

  it("ends the waits of sub-workflows with it: they take no event, and their keys are free", async () => {
    const map = mapOf(bench, { workflow_id: await chargingChild(), job_id: undefined, max_parallel: 100 });
    const workflow = await bench.save([map]);
    const id = await bench.start(workflow, { payload: { list: ["k1", "k2", "k3", "k4"] } });
    await world.runUntilIdle();
    const callback = new URL((await project.api.get("/v1/events/k4")).body.callback_url).pathname;
    await verb(id, "cancel");
    const children = await childrenOf(project, id);
    expect(children.map((child: { status: string }) => child.status)).toEqual(Array(4).fill("running"));
    const send = (key: string, body: object) => project.api.post(`/v1/events/${key}/send`, body);
    expect((await send("k1", {})).body.code).toBe("event_trigger_ended");
    expect((await send("k2", { buffer_secs: 60 })).status).toBe(202);
    expect((await project.api.post("/v1/events/prefix/k/send", {})).body).toMatchObject({ resolved: 0 });
    expect((await project.api.post(callback, {})).body.code).toBe("event_trigger_ended");

    const again = await bench.start(workflow, { payload: { list: ["k3"] } });
    await startDueRuns(world.ctx);
    await whenProgressed(world.ctx);
    expect((await send("k3", {})).body).toMatchObject({ status: "received" });
    await verb(again, "cancel");
    await endAll();
    for (const child of children) expect(await workflowRunStatus(project, child.id)).toBe("canceled");
  });

  it("refuses the approval of a step in a sub-workflow as canceled", async () => {
    const child = await bench.save([{ step_ref: "ok", type: "approval" }]);
    const id = await bench.start(await bench.save([sub(child)]));
    await world.runUntilIdle();
    await verb(id, "cancel");
    const [waiting] = await childrenOf(project, id);
    expect(waiting.status).toBe("running");
    const { status, body } = await project.api.post(`/v1/workflow-runs/${waiting.id}/steps/ok/approve`, {});
    expect([status, body.code, body.detail]).toEqual([
      409,
      "step_not_waiting",
      expect.stringMatching(/it is canceled/),
    ]);
    await endAll();
  });

  it("starts no sub-workflow that was waiting to start", async () => {
    const child = await bench.save([{ step_ref: "charge", job_id: job.id }]);
    const id = await bench.start(await bench.save([sub(child)]));
    await verb(id, "cancel");
    await startDueRuns(world.ctx);
    expect(await queued()).toEqual([]);
    await world.runUntilIdle();
    const [created] = await childrenOf(project, id);
    expect(created).toMatchObject({ status: "canceled", started_at: null });
  });

  it("returns 200 if it is canceled already, and 409 if it ended otherwise", async () => {
    const workflow = await bench.save([{ step_ref: "a", job_id: job.id }]);
    const id = await bench.start(workflow);
    expect((await verb(id, "cancel")).status).toBe(200);
    const again = await verb(id, "cancel");
    expect(again).toMatchObject({ status: 200, body: { id, status: "canceled", descendants: { in_flight: 0 } } });
    const done = await bench.run(await bench.save([{ step_ref: "fine" }]));
    expect(await verb(done.run.id, "cancel")).toMatchObject({ status: 409, body: { code: "workflow_run_ended" } });
    await endAll();
  });

  it("does not end a later retry through outbox entries that the cancel left", async () => {
    const id = await bench.start(await bench.save([{ step_ref: "a", job_id: job.id }]));
    await verb(id, "cancel");
    await verb(id, "retry");
    await progressRuns(world.ctx, [{ project_id: project.id, workflow_run_id: id }]);
    await world.tick("run-outbox");
    const [run, ...others] = await claimAll();
    expect(others).toEqual([]);
    expect(run).toMatchObject({ workflow_run_id: id, step_ref: "a" });
    await endAll();
  });
});

describe("pausing a workflow run", () => {
  it("stops queued runs until it is resumed, and claimed ones count as in flight", async () => {
    const map = mapOf(bench, { job_id: job.id, max_parallel: 200 });
    const id = await bench.start(await bench.save([map]), { payload: { list: upTo(10) } });
    const claimed = await claimAll();
    const { body } = await verb(id, "pause");
    expect(body).toMatchObject({ status: "paused", descendants: { in_flight: claimed.length, pending: 5 } });
    await world.runUntilIdle();
    expect(await claimAll()).toEqual([]);
    await verb(id, "resume");
    expect((await queued()).every(({ stopped }) => stopped === null)).toBe(true);
    await endAll();
  });

  it("shows no item as running that is only queued", async () => {
    const map = mapOf(bench, { job_id: job.id, max_parallel: 200 });
    const id = await bench.start(await bench.save([map]), { payload: { list: upTo(10) } });
    const claimed = await claimAll();
    await verb(id, "pause");
    const { body } = await project.api.get(`/v1/workflow-runs/${id}/steps/m`);
    expect(body.items).toMatchObject({ total: 10, running: claimed.length, pending: 10 - claimed.length });
    await endAll();
  });

  const SHARED = [
    ["max_concurrency", { max_concurrency: 1 }],
    ["rate_limit_max", { rate_limit_max: 1, rate_limit_window_secs: 60 }],
  ] as const;
  it.each(SHARED)("a queue's %s is not granted to a run that it stopped", async (name, limit) => {
    const { body: queue } = await project.api.post("/v1/queues", { name: name.replaceAll("_", "-"), ...limit });
    const limited = await makeJob(project, { queue: queue.name });
    const [holder] = await fillQueue(world.ctx, limited, 1);
    const [held] = await claimSome(world.ctx, limited, 5);
    expect(held?.run_id).toBe(holder);
    const id = await bench.start(await bench.save([{ step_ref: "a", job_id: limited.id }]));
    const [next] = await fillQueue(world.ctx, limited, 1);
    expect(await claimSome(world.ctx, limited, 5)).toEqual([]);
    await verb(id, "pause");
    if (held) await settleRuns(world.ctx, [{ run: held, outcome: { kind: "completed", result_json: "null" } }]);
    await world.clock.pass("61s");
    await world.tick("release-rate-limits");
    expect((await claimSome(world.ctx, limited, 5)).map((run) => run.run_id)).toEqual([next]);
    await endAll();
  });

  it("stops all descendants at once, and a manually paused child stays paused when its parent resumes", async () => {
    const wait = { step_ref: "w", type: "wait_for_event", event_key: "{{payload.key}}" };
    const charge = { step_ref: "charge", job_id: job.id, depends_on: ["w"] };
    const middle = await bench.save([sub(await bench.save([wait, charge]))]);
    const both = ["p1", "p2"].map((key) => sub(middle, { step_ref: key, payload: { key } }));
    const id = await bench.start(await bench.save(both));
    await world.runUntilIdle();
    const [first, second] = await childrenOf(project, id);
    await verb(first.id, "pause");
    await verb(id, "pause");
    const statuses = async () => {
      const [one] = await childrenOf(project, first.id);
      const [two] = await childrenOf(project, second.id);
      return Promise.all([id, first.id, one.id, second.id, two.id].map((each) => workflowRunStatus(project, each)));
    };
    expect(await statuses()).toEqual(["paused", "paused", "paused", "paused", "paused"]);
    for (const key of ["p1", "p2"]) await project.api.post(`/v1/events/${key}/send`, {});
    await world.runUntilIdle();
    expect(await queued()).toEqual([]);
    // Below a paused run a resume only withdraws the child's own pause.
    expect((await verb(second.id, "resume")).body.status).toBe("paused");
    await verb(id, "resume");
    expect(await statuses()).toEqual(["running", "paused", "paused", "running", "running"]);
    await world.runUntilIdle();
    expect(await queued()).toHaveLength(1);
    await verb(first.id, "resume");
    await world.runUntilIdle();
    expect(await queued()).toHaveLength(2);
    await endAll();
  });

  it("a child that is manually paused after its parent stays paused when the parent resumes", async () => {
    const wait = { step_ref: "w", type: "wait_for_event", event_key: "held" };
    const id = await bench.start(await bench.save([sub(await bench.save([wait]))]));
    await world.runUntilIdle();
    const [child] = await childrenOf(project, id);
    await verb(id, "pause");
    expect((await verb(child.id, "pause")).status).toBe(200);
    await verb(id, "resume");
    expect(await workflowRunStatus(project, child.id)).toBe("paused");
    await verb(child.id, "resume");
    expect(await workflowRunStatus(project, child.id)).toBe("running");
    await endAll();
  });

  it("paused time does not count towards run_ttl_secs", async () => {
    const short = await makeJob(project, { run_ttl_secs: 60 });
    await project.api.post(`${short.path}/pause`);
    const id = await bench.start(await bench.save([{ step_ref: "a", job_id: short.id }]));
    await verb(id, "pause");
    await world.clock.pass("90s");
    await world.runUntilIdle();
    await verb(id, "resume");
    await world.clock.pass("50s");
    await world.runUntilIdle();
    const row = "select status from runs where job_id = $1";
    expect(await runSql(world.connection, row, [short.id])).toEqual([{ status: "pending" }]);
    await world.clock.pass("20s");
    await world.runUntilIdle();
    expect(await runSql(world.connection, row, [short.id])).toEqual([{ status: "canceled" }]);
  });
});

/** A workflow run whose step is leased by an attempt that calls the SDK. */
async function runningStep() {
  const id = await bench.start(await bench.save([{ step_ref: "a", job_id: job.id }]));
  const [claimed] = await claimAll();
  if (!claimed) throw new Error("nothing to claim");
  return { id, run_id: claimed.run_id, sdk: (await holderOf(world, claimed.run_id)).sdk };
}

describe("a stop concurrent with other changes of its runs", () => {
  it("pause: a job run whose event arrives after it stays in the queue", async () => {
    const { id, sdk } = await runningStep();
    await sdk.post("/wait-for-event", { event_key: "late" });
    await verb(id, "pause");
    await project.api.post("/v1/events/late/send", {});
    expect(await queued()).toMatchObject([{ stopped: "pause", lease_until: null }]);
    await endAll();
  });

  it("cancel: a job run that waits receives no event after it", async () => {
    const { id, sdk } = await runningStep();
    await sdk.post("/wait-for-event", { event_key: "too-late" });
    await verb(id, "cancel");
    expect((await project.api.post("/v1/events/too-late/send", {})).body.code).toBe("event_trigger_ended");
    expect(await queued()).toEqual([]);
    await endAll();
  });

  it("cancel: a job run in flight opens no wait after it", async () => {
    const { id, sdk } = await runningStep();
    await verb(id, "cancel");
    const refused = await sdk.post("/wait-for-event", { event_key: "after-cancel" });
    expect(refused).toMatchObject({ status: 410, body: { code: "run_already_ended" } });
    expect((await project.api.post("/v1/events/after-cancel/send", {})).status).toBe(404);
    await endAll();
  });

  it.each(["cancel", "pause"])("%s concurrent with the event that a job run waits for", async (name) => {
    for (const round of upTo(sizeOf(2, 50))) {
      const { id, run_id, sdk } = await runningStep();
      const event_key = `beside-${name}-${round}`;
      await sdk.post("/wait-for-event", { event_key });
      const [sent] = await Promise.all([project.api.post(`/v1/events/${event_key}/send`, {}), verb(id, name)]);
      const row = (await queued()).find((each) => each.run_id === run_id);
      const came = sent.status === 200 ? [200, name] : [409, undefined];
      expect([sent.status, row?.stopped], `round ${round}`).toEqual(name === "pause" ? [200, name] : came);
    }
    await endAll();
  });

  it.each(["cancel", "pause"])("%s concurrent with a spawn: both runs are stopped", async (name) => {
    for (const round of upTo(sizeOf(2, 50))) {
      const { id, sdk } = await runningStep();
      const [spawned] = await Promise.all([sdk.post("/spawn", { job_id: job.id, payload: { round } }), verb(id, name)]);
      const row = (await queued()).find((each) => each.run_id === spawned.body.id);
      if (spawned.status === 201) expect(row?.stopped, `round ${round}`).toBe(name);
      await endAll();
    }
  });

  it("runs spawned by a run in flight after a pause wait for the resume", async () => {
    const { id, sdk } = await runningStep();
    await verb(id, "pause");
    const { body: spawned } = await sdk.post("/spawn", { job_id: job.id });
    expect((await queued()).find((each) => each.run_id === spawned.id)).toMatchObject({ stopped: "pause" });
    await verb(id, "resume");
    expect((await queued()).find((each) => each.run_id === spawned.id)).toMatchObject({ stopped: null });
    await endAll();
  });

  it("another attempt of a run that was in flight waits for the resume, also if its job has no limits", async () => {
    const free = await makeJob(project, { max_attempts: 3 });
    const id = await bench.start(await bench.save([{ step_ref: "a", job_id: free.id }]));
    expect(await claimSome(world.ctx, free, 10)).toHaveLength(1);
    await runSql(world.connection, "update run_queue set lease_until = clock() where job_id = $1", [free.id]);
    await verb(id, "pause");
    await world.tick("sweep-leases");
    const [row] = await runSql(world.connection, "select stopped, lease_until from run_queue where job_id = $1", [
      free.id,
    ]);
    expect(row).toEqual({ stopped: "pause", lease_until: null });
    await world.clock.pass("1h");
    await world.tick("release-due-runs");
    expect(await claimSome(world.ctx, free, 10)).toEqual([]);
    await verb(id, "resume");
    expect(await claimSome(world.ctx, free, 10)).toHaveLength(1);
    await endAll();
  });

  it("a cancel also ends runs spawned by a step that completed long ago", async () => {
    const wait = { step_ref: "b", type: "wait_for_event", event_key: "spawned-late" };
    const id = await bench.start(await bench.save([{ step_ref: "a", job_id: job.id }, wait]));
    const [claimed] = await claimAll();
    const { sdk } = await holderOf(world, claimed?.run_id ?? "");
    const { body: spawned } = await sdk.post("/spawn", { job_id: job.id });
    await sdk.post("/complete", { result: {} });
    await verb(id, "cancel");
    expect(await queued()).toMatchObject([{ run_id: spawned.id, stopped: "cancel" }]);
    await world.runUntilIdle();
    expect((await project.api.get(`/v1/runs/${spawned.id}`)).body.status).toBe("canceled");
  });

  it.each(["cancel", "pause"])(
    "%s while events resume its waiting runs: nothing is claimable after it",
    async (name) => {
      for (const round of upTo(sizeOf(2, 50))) {
        const wait = { step_ref: "w", type: "wait_for_event", event_key: `race-${name}-${round}` };
        const steps = [wait, ...upTo(3).map((n) => ({ step_ref: `s${n}`, job_id: job.id, depends_on: ["w"] }))];
        const id = await bench.start(await bench.save(steps));
        await world.runUntilIdle();
        const key = { project_id: project.id, workflow_run_id: id };
        await Promise.allSettled([
          sendEvent(world.ctx, { project_id: project.id, event_key: wait.event_key, payload: {}, sent_by: "test" }),
          verb(id, name),
          progressRuns(world.ctx, [key]),
        ]);
        await progressRuns(world.ctx, [key]);
        const rows = await runSql(
          world.connection,
          "select stopped from run_queue where project_id = $1 and workflow_run_id = $2",
          [project.id, id],
        );
        expect(rows.every(({ stopped }) => stopped === name)).toBe(true);
      }
      await endAll();
    },
  );
});
