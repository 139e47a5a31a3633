import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
beforeAll(async () => {
  world = await makeFlowWorld();
});
beforeEach(async () => {
  project = await world.project();
  bench = await workflowBench(world, project);
});

const fails = () => ({ status: 400, body: { error: "no" } });

describe("a workflow of job steps", () => {
  it("W1 runs them in the order of their dependencies, each once", async () => {
    const id = await bench.save([
      { step_ref: "c", depends_on: ["b"] },
      { step_ref: "a" },
      { step_ref: "b", depends_on: ["a"] },
    ]);
    const { run, statuses } = await bench.run(id);
    expect(run).toMatchObject({ status: "completed", error_count: 0, error: null });
    expect(statuses).toEqual({ a: "completed", b: "completed", c: "completed" });
    expect(bench.refs()).toEqual(["a", "b", "c"]);
  });

  it("fans out and in: the dependent of ten steps starts once, after all of them", async () => {
    const middle = Array.from({ length: 10 }, (_, nth) => ({ step_ref: `m${nth}`, depends_on: ["first"] }));
    const last = { step_ref: "last", depends_on: middle.map((step) => step.step_ref) };
    const id = await bench.save([{ step_ref: "first" }, ...middle, last]);
    const { run } = await bench.run(id);
    expect(run.status).toBe("completed");
    expect(bench.refs()[0]).toBe("first");
    expect(bench.refs().slice(1, 11).toSorted()).toEqual(middle.map((step) => step.step_ref));
    expect(bench.refs().slice(11)).toEqual(["last"]);
  });

  it("W5 passes a step the payload of the run with its own merged over it, and the outputs of its parents", async () => {
    bench.onDispatch("a", () => ({ body: { id: 7, nested: { list: [1, "2"] } } }));
    const id = await bench.save([
      { step_ref: "a" },
      {
        step_ref: "b",
        depends_on: ["a"],
        payload: { order: "{{payload.order.id}}", all: "{{parent_outputs.a}}", text: "id {{parent_outputs.a.id}}" },
      },
    ]);
    await bench.run(id, { payload: { order: { id: 42 }, kept: true } });
    const [, b] = bench.endpoint.dispatches;
    expect(b?.body).toMatchObject({
      payload: { order: 42, kept: true, all: { id: 7, nested: { list: [1, "2"] } }, text: "id 7" },
      parent_outputs: { a: { id: 7, nested: { list: [1, "2"] } } },
      step_ref: "b",
    });
  });

  it("a missing path fails the step with a message that names it", async () => {
    const id = await bench.save([{ step_ref: "a", payload: { x: "{{payload.not.there}}" } }]);
    const { run, steps } = await bench.run(id);
    expect(steps.a).toMatchObject({ status: "failed", error: { code: "template_path_missing" } });
    expect(steps.a.error.message).toContain("payload.not.there");
    expect(run).toMatchObject({ status: "failed", error: { code: "step_failed" } });
    expect(bench.refs()).toEqual([]);
  });

  it("a job that refuses the payload fails the step", async () => {
    const strict = await project.api.post("/v1/jobs", {
      name: "Strict",
      endpoint_url: bench.endpoint.url,
      payload_schema: { type: "object", required: ["must"] },
    });
    const { steps } = await bench.run(await bench.save([{ step_ref: "a", job_id: strict.body.id }]));
    expect(steps.a.error).toMatchObject({ code: "payload_invalid" });
  });

  it("a changed job is used in its current version; a deleted one fails the step", async () => {
    const other = await project.api.post("/v1/jobs", { name: "Other", endpoint_url: bench.endpoint.url });
    const workflow_id = await bench.save([{ step_ref: "a", job_id: other.body.id }]);
    expect((await bench.run(workflow_id)).run.status).toBe("completed");
    await project.api.patch(`/v1/jobs/${other.body.id}`, { timeout_secs: 77 });
    expect((await bench.run(workflow_id)).run.status).toBe("completed");

    const later = await bench.start(workflow_id, { delay_secs: 60 });
    await project.api.patch(`/v1/workflows/${workflow_id}`, { steps: [{ step_ref: "a", job_id: bench.job_id }] });
    expect((await project.api.delete(`/v1/jobs/${other.body.id}`)).status).toBe(204);
    await world.clock.pass("61s");
    await world.runUntilIdle();
    expect((await bench.read(later)).steps.a).toMatchObject({ status: "failed", error: { code: "job_not_found" } });
  });

  it("a step's timeout_secs and max_attempts apply to its run", async () => {
    const { steps } = await bench.run(await bench.save([{ step_ref: "a", timeout_secs: 17, max_attempts: 5 }]));
    const { body } = await project.api.get(`/v1/runs/${steps.a.run_id}`);
    expect(body).toMatchObject({
      timeout_secs: 17,
      max_attempts: 5,
      trigger_type: "workflow",
      step_ref: "a",
      created_by: `workflow_run:${steps.a.workflow_run_id}`,
    });
  });

  it("the runs of steps get the tags and metadata of the workflow run", async () => {
    const id = await bench.save([{ step_ref: "a" }]);
    const { steps } = await bench.run(id, { tags: { region: "eu" }, metadata: { by: "me" } });
    const { body } = await project.api.get(`/v1/runs/${steps.a.run_id}`);
    expect(body).toMatchObject({ tags: { region: "eu" }, metadata: { by: "me" } });
  });
});

describe("on_failure", () => {
  const steps = (on_failure?: string) => [
    { step_ref: "bad", ...(on_failure && { on_failure }) },
    { step_ref: "after", depends_on: ["bad"] },
    { step_ref: "third", depends_on: ["after"] },
    { step_ref: "beside" },
  ];
  beforeEach(() => bench.onDispatch("bad", fails));

  it("W2 fail_workflow, the default, ends the run and cancels everything that has not ended", async () => {
    const { run, statuses, steps: all } = await bench.run(await bench.save(steps()));
    expect(run).toMatchObject({ status: "failed", error_count: 1, error: { code: "step_failed" } });
    expect(statuses).toMatchObject({ bad: "failed", after: "canceled", third: "canceled" });
    expect(all.after).toMatchObject({ cause: "step_failed", cause_ref: "bad" });
  });

  it("W2 skip_dependents skips its dependents transitively; the rest continues", async () => {
    const { run, statuses } = await bench.run(await bench.save(steps("skip_dependents")));
    expect(statuses).toEqual({ bad: "failed", after: "skipped", third: "skipped", beside: "completed" });
    expect(run).toMatchObject({ status: "completed", error_count: 1 });
  });

  it("W2 continue starts its dependents, with null for its output", async () => {
    const [bad, after, ...rest] = steps("continue");
    const id = await bench.save([bad ?? {}, { ...after, payload: { got: "{{parent_outputs.bad}}" } }, ...rest]);
    const { run, statuses } = await bench.run(id);
    expect(statuses).toEqual({ bad: "failed", after: "completed", third: "completed", beside: "completed" });
    expect(run).toMatchObject({ status: "completed", error_count: 1 });
    const dispatched = bench.endpoint.dispatches.find((each) => each.body.step_ref === "after");
    expect(dispatched?.body.payload).toEqual({ got: null });
  });

  it("a canceled job run fails its step", async () => {
    const id = await bench.start(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    const { steps: before } = await bench.read(id);
    expect((await project.api.post(`/v1/runs/${before.a.run_id}/cancel`, {})).status).toBe(200);
    await world.runUntilIdle();
    const { run, steps: after } = await bench.read(id);
    expect(after.a).toMatchObject({ status: "failed", error: { code: "run_canceled" } });
    expect(run.status).toBe("failed");
  });

  it("a run that fails cancels the job runs that are still open", async () => {
    const slow = await project.api.post("/v1/jobs", { name: "Slow", endpoint_url: bench.endpoint.url });
    const id = await bench.start(
      await bench.save([{ step_ref: "bad" }, { step_ref: "slow", job_id: slow.body.id }, { step_ref: "c" }]),
    );
    const { steps: before } = await bench.read(id);
    await project.api.post(`/v1/jobs/${slow.body.id}/pause`, {});
    await world.runUntilIdle();
    const { statuses } = await bench.read(id);
    expect(statuses).toMatchObject({ bad: "failed", slow: "canceled" });
    expect((await project.api.get(`/v1/runs/${before.slow.run_id}`)).body).toMatchObject({
      status: "canceled",
      error: { code: "canceled" },
    });
  });

  it("the workflow's failure job is started with the failure", async () => {
    const handler = await project.api.post("/v1/jobs", { name: "Handler", endpoint_url: bench.endpoint.url });
    const id = await bench.save(steps(), { on_failure_job_id: handler.body.id });
    const { run } = await bench.run(id, { payload: { a: 1 } });
    const dispatch = bench.endpoint.dispatches.find((each) => each.body.job_id === handler.body.id);
    expect(dispatch?.body.payload).toMatchObject({ workflow_run_id: run.id, status: "failed", payload: { a: 1 } });
  });
});

describe("conditions", () => {
  it("a step whose condition is false is skipped, and counts as done for its dependents", async () => {
    const id = await bench.save([
      { step_ref: "a", condition: "payload.total > 100" },
      { step_ref: "b", depends_on: ["a"] },
      { step_ref: "c", depends_on: ["a"], condition: "steps.a.status == 'completed'" },
    ]);
    expect((await bench.run(id, { payload: { total: 5 } })).statuses).toEqual({
      a: "skipped",
      b: "completed",
      c: "skipped",
    });
    expect((await bench.run(id, { payload: { total: 500 } })).statuses).toEqual({
      a: "completed",
      b: "completed",
      c: "completed",
    });
  });
});

describe("limits of a workflow", () => {
  it("max_parallel_steps is never exceeded, and all steps run", async () => {
    const steps = Array.from({ length: 9 }, (_, nth) => ({ step_ref: `s${nth}` }));
    const id = await bench.start(await bench.save(steps, { max_parallel_steps: 2 }));
    const running = async () => Object.values((await bench.read(id)).statuses).filter((each) => each === "running");
    expect(await running()).toHaveLength(2);
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("completed");
    expect(bench.refs()).toHaveLength(9);
  });

  it("max_concurrent_runs: the others wait as pending, and start one by one as runs end", async () => {
    const workflow_id = await bench.save([{ step_ref: "a", job_id: bench.job_id }], { max_concurrent_runs: 1 });
    await project.api.post(`/v1/jobs/${bench.job_id}/pause`, {});
    const ids: string[] = [];
    for (let nth = 0; nth < 3; nth++) ids.push(await bench.start(workflow_id));
    await world.runUntilIdle();
    const statuses = async () => Promise.all(ids.map(async (id) => (await bench.read(id)).run.status));
    expect(await statuses()).toEqual(["running", "pending", "pending"]);
    await project.api.post(`/v1/jobs/${bench.job_id}/resume`, {});
    for (let nth = 0; nth < 3; nth++) await world.runUntilIdle();
    expect(await statuses()).toEqual(["completed", "completed", "completed"]);
  });

  it("timeout_secs ends the run, with everything open in it", async () => {
    await project.api.post(`/v1/jobs/${bench.job_id}/pause`, {});
    const id = await bench.start(await bench.save([{ step_ref: "a" }], { timeout_secs: 60 }));
    await world.clock.pass("59s");
    await world.tick("time-out-workflow-runs");
    expect((await bench.read(id)).run.status).toBe("running");
    await world.clock.pass("2s");
    await world.tick("time-out-workflow-runs");
    const { run, statuses } = await bench.read(id);
    expect(run).toMatchObject({ status: "timed_out", error: { code: "workflow_timeout" } });
    expect(statuses).toEqual({ a: "canceled" });
  });

  it("a scheduled run starts when it is due, not before", async () => {
    const id = await bench.start(await bench.save([{ step_ref: "a" }]), { delay_secs: 60 });
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("pending");
    await world.clock.pass("61s");
    await world.tick("start-due-workflow-runs");
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("completed");
  });
});

describe("a crash between a commit and its follow-up", () => {
  it("T10 a job run that ended without its workflow being progressed is found by the reconciliation", async () => {
    const id = await bench.start(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    const { steps } = await bench.read(id);
    // As left by a process that dies right after the commit of the end.
    await runSql(
      world.connection,
      `with gone as (delete from run_queue where run_id = $1)
       update runs set prev_status = 'running', status = 'completed', result = '{"x":1}', finished_at = clock()
       where id = $1`,
      [steps.a.run_id],
    );
    await world.clock.pass("11s");
    await world.tick("reconcile-workflows");
    await world.runUntilIdle();
    const { run, steps: after } = await bench.read(id);
    expect(after.a.output).toEqual({ x: 1 });
    expect(run.status).toBe("completed");
  });

  it("a run that was admitted and not progressed is finished by its outbox entry", async () => {
    const id = await bench.start(await bench.save([{ step_ref: "a" }]), { delay_secs: 1 });
    await runSql(
      world.connection,
      `with admitted as (
         update workflow_runs set prev_status = status, status = 'running', transition_count = transition_count + 1, started_at = clock()
         where id = $1 returning project_id, id)
       insert into outbox (project_id, transition_id, kind, target_id, created_at)
       select project_id, id, 'progress', id, clock() from admitted`,
      [id],
    );
    await world.tick("run-outbox");
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("completed");
    expect(await runSql(world.connection, "select 1 from outbox where target_id = $1", [id])).toEqual([]);
  });
});
