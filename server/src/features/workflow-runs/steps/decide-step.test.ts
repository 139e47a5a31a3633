import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { seedWorkflow, seedWorkflowRun } from "../../../../test/seed/seed-workflow-run.ts";
import { approvalStep } from "../../../../test/seed/workflow-definition.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

type Api = TestProject["api"];

/** A run whose step `ok` waits for an approval, and `ship` for that step. */
async function waiting(approval: object = {}) {
  const project = await world.project();
  const bench = await workflowBench(world, project);
  const steps = [
    { step_ref: "ok", type: "approval", ...approval },
    { step_ref: "ship", depends_on: ["ok"] },
  ];
  const { run } = await bench.run(await bench.save(steps));
  const at = `/v1/workflow-runs/${run.id}/steps/ok`;
  return {
    project,
    bench,
    id: run.id as string,
    approve: (body: object = {}, api: Api = project.api) => api.post(`${at}/approve`, body),
    reject: (body: object = {}, api: Api = project.api) => api.post(`${at}/reject`, body),
  };
}

const auditOf = (id: string) =>
  runSql(world.connection, "select action, after from audit_events where resource_id = $1 order by id", [id]);
const decisionsOf = (id: string) =>
  runSql(
    world.connection,
    `select step_ref, decision_type, reason from workflow_decisions
     where workflow_run_id = $1 and decision_type in ('approve', 'reject')`,
    [id],
  );

const decidersOf = (id: string) =>
  runSql(
    world.connection,
    `select decided_by, decided_by_id from workflow_decisions
     where workflow_run_id = $1 and decision_type in ('approve', 'reject')`,
    [id],
  );

describe("the decider, with two keys of the same name", () => {
  it("is identified by id in the output, the wait and the decision of an approval", async () => {
    const { project, id, approve } = await waiting();
    const [, twin] = [await project.newKey({ name: "twin" }), await project.newKey({ name: "twin" })];
    const { body } = await approve({}, twin.api);
    expect(body.output).toEqual({ approved: true, by: "twin", by_id: twin.id, comment: null });
    const trigger = (await project.api.get(`/v1/events/approval:${body.event_trigger_id}`)).body;
    expect(trigger).toMatchObject({ sent_by: "twin", sent_by_id: twin.id });
    expect(await decidersOf(id)).toEqual([{ decided_by: "twin", decided_by_id: twin.id }]);
  });

  it("is identified by id in the error of a rejected step; the internal secret has no id", async () => {
    const { project, id, reject } = await waiting();
    const [twin] = [await project.newKey({ name: "twin" }), await project.newKey({ name: "twin" })];
    const { body } = await reject({}, twin.api);
    expect(body.error).toEqual({ code: "rejected", message: "Rejected by twin.", by_id: twin.id });
    expect(await decidersOf(id)).toEqual([{ decided_by: "twin", decided_by_id: twin.id }]);
    const other = await waiting();
    const bySecret = await other.reject({}, world.admin);
    expect(bySecret.body.error).toEqual({ code: "rejected", message: expect.stringMatching(/^Rejected by internal/) });
  });
});

describe("POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/approve", () => {
  it("completes the step with the approver and the comment, and starts the following steps", async () => {
    const { project, bench, id, approve } = await waiting();
    const { status, body } = await approve({ comment: "fine" });
    expect(status).toBe(200);
    const output = { approved: true, by: "test key", by_id: project.key_id, comment: "fine" };
    expect(body).toMatchObject({ status: "completed", output, error: null });
    await world.runUntilIdle();
    const after = await bench.read(id);
    expect([after.run.status, after.statuses]).toEqual(["completed", { ok: "completed", ship: "completed" }]);
    const dispatch = bench.endpoint.dispatches.find((each) => each.body.step_ref === "ship");
    expect(dispatch?.body.parent_outputs).toEqual({ ok: output });
  });

  it("ends the trigger together with the step", async () => {
    const { project, id, approve } = await waiting();
    const { body } = await approve();
    const [trigger] = await runSql(
      world.connection,
      "select status, wait_kind, sent_by, payload from event_triggers where workflow_run_id = $1",
      [id],
    );
    expect(trigger).toEqual({
      status: "received",
      wait_kind: "approval",
      sent_by: "test key",
      payload: { approved: true, by: "test key", by_id: project.key_id, comment: null },
    });
    expect(body.output.comment).toBeNull();
  });

  it("403 for callers who are not approvers; the list may contain a key's name or id", async () => {
    const project = await world.project();
    const bench = await workflowBench(world, project);
    const alice = await project.newKey({ name: "alice" });
    const bob = await project.newKey({ name: "bob" });
    const eve = await project.newKey({ name: "eve" });
    const approvers = ["alice", bob.id];
    for (const chosen of [alice, bob]) {
      const workflow = await bench.save([{ step_ref: "ok", type: "approval", approvers }]);
      const { run } = await bench.run(workflow);
      const at = `/v1/workflow-runs/${run.id}/steps/ok/approve`;
      expect(await eve.api.post(at, {})).toMatchObject({ status: 403, body: { code: "not_an_approver" } });
      expect(await world.admin.post(at, {})).toMatchObject({ status: 403, body: { code: "not_an_approver" } });
      expect((await bench.read(run.id)).statuses.ok).toBe("waiting");
      expect((await chosen.api.post(at, {})).status).toBe(200);
    }
  });

  it("403 for a key with an approver's name, and for one whose name is another key's id", async () => {
    const project = await world.project();
    const bench = await workflowBench(world, project);
    const alice = await project.newKey({ name: "alice" });
    const bob = await project.newKey({ name: "bob" });
    const ask = async (approvers: string[]) => {
      const { run } = await bench.run(await bench.save([{ step_ref: "ok", type: "approval", approvers }]));
      return `/v1/workflow-runs/${run.id}/steps/ok/approve`;
    };
    await project.api.post("/v1/members", { subject: "ada", role_id: "viewer" });
    const [byName, byId] = [await ask(["alice", "internal secret", "ada"]), await ask([bob.id])];
    const false_ = await project.newKey({ name: "alice" });
    const others = [await project.newKey({ name: "internal secret" }), await project.newKey({ name: "ada" })];
    for (const { api } of [false_, ...others])
      expect(await api.post(byName, {})).toMatchObject({ status: 403, body: { code: "not_an_approver" } });
    const disguised = await project.newKey({ name: bob.id });
    expect(await disguised.api.post(byId, {})).toMatchObject({ status: 403, body: { code: "not_an_approver" } });
    expect((await alice.api.post(byName, {})).status).toBe(200);
    expect((await bob.api.post(byId, {})).status).toBe(200);
  });

  it("409 if it was already decided, by any caller", async () => {
    const { approve, reject } = await waiting();
    await approve();
    for (const again of [await approve(), await reject()]) {
      expect(again).toMatchObject({ status: 409, body: { code: "step_not_waiting" } });
      expect(again.body.detail).toContain("completed");
    }
  });

  it("409 for a waiting step of another type", async () => {
    const project = await world.project();
    const bench = await workflowBench(world, project);
    const steps = [{ step_ref: "w", type: "wait_for_event", event_key: "e" }];
    const { run } = await bench.run(await bench.save(steps));
    const response = await project.api.post(`/v1/workflow-runs/${run.id}/steps/w/approve`, {});
    expect(response).toMatchObject({ status: 409, body: { code: "step_not_waiting" } });
    expect(response.body.detail).toContain("wait_for_event");
    expect((await bench.read(run.id)).statuses.w).toBe("waiting");
  });

  it("404 for an unknown step or workflow run, or another project's", async () => {
    const { id, bench } = await waiting();
    const other = await world.project();
    expect((await other.api.post(`/v1/workflow-runs/${id}/steps/ok/approve`, {})).status).toBe(404);
    expect((await world.admin.post(`/v1/workflow-runs/${id}/steps/nobody/approve`, {})).status).toBe(404);
    expect((await bench.read(id)).statuses.ok).toBe("waiting");
  });

  it("is accepted while the run is paused; the following steps start when it is resumed", async () => {
    const { project, bench, id, approve } = await waiting();
    await project.api.post(`/v1/workflow-runs/${id}/pause`);
    expect((await approve()).body.status).toBe("completed");
    await world.runUntilIdle();
    expect((await bench.read(id)).statuses.ship).toBe("pending");
    await project.api.post(`/v1/workflow-runs/${id}/resume`);
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("completed");
  });

  it("A12 is audited, and shown in explain", async () => {
    const { id, approve } = await waiting();
    await approve({ comment: "fine" });
    expect(await auditOf(id)).toEqual([
      { action: "workflow_run.step_approved", after: { step_ref: "ok", comment: "fine" } },
    ]);
    expect(await decisionsOf(id)).toEqual([
      { step_ref: "ok", decision_type: "approve", reason: "test key approved it: fine" },
    ]);
  });

  it("of two concurrent decisions one wins", async () => {
    const { id, bench, approve, reject } = await waiting();
    const responses = await Promise.all([approve(), reject(), approve(), reject()]);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    await world.runUntilIdle();
    const { run, statuses } = await bench.read(id);
    expect([run.status, statuses.ok]).toEqual(
      statuses.ok === "completed" ? ["completed", "completed"] : ["failed", "failed"],
    );
    expect(await auditOf(id)).toHaveLength(1);
  });
});

describe("POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/reject", () => {
  it("fails the step with the code `rejected`, and its on_failure applies", async () => {
    const { bench, id, reject } = await waiting();
    const { status, body } = await reject({ comment: "too dear" });
    expect(status).toBe(200);
    const error = { code: "rejected", message: "Rejected by test key: too dear" };
    expect(body).toMatchObject({ status: "failed", error, output: null });
    await world.runUntilIdle();
    const after = await bench.read(id);
    expect([after.run.status, after.statuses]).toEqual(["failed", { ok: "failed", ship: "canceled" }]);
    expect(bench.refs()).toEqual([]);
  });

  it("lets the run continue under `continue`", async () => {
    const { bench, id, reject } = await waiting({ on_failure: "continue" });
    await reject();
    await world.runUntilIdle();
    const after = await bench.read(id);
    expect(after.run).toMatchObject({ status: "completed", error_count: 1 });
    expect(after.statuses).toEqual({ ok: "failed", ship: "completed" });
  });

  it("a retry asks for approval again", async () => {
    const { project, bench, id, approve, reject } = await waiting();
    await reject();
    await world.runUntilIdle();
    await project.api.post(`/v1/workflow-runs/${id}/steps/ok/retry`);
    await world.runUntilIdle();
    expect((await bench.read(id)).steps.ok).toMatchObject({ status: "waiting", generation: 2 });
    expect((await approve()).status).toBe(200);
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("completed");
  });

  it("403 for callers who are not approvers, 409 if the step no longer waits", async () => {
    const { reject } = await waiting({ approvers: ["internal secret"] });
    expect(await reject()).toMatchObject({ status: 403, body: { code: "not_an_approver" } });
    const project = await world.project();
    const workflow = await seedWorkflow(world.connection, project.id, { steps: [approvalStep("ok")] });
    const steps = { ok: { status: "canceled", cause: "workflow_canceled" } } as const;
    const id = await seedWorkflowRun(world.connection, project.id, { workflow, status: "canceled", steps });
    const late = await project.api.post(`/v1/workflow-runs/${id}/steps/ok/reject`, {});
    expect(late).toMatchObject({ status: 409, body: { code: "step_not_waiting" } });
  });

  it("A12 is audited, and shown in explain", async () => {
    const { id, reject } = await waiting();
    await reject();
    expect(await auditOf(id)).toEqual([
      { action: "workflow_run.step_rejected", after: { step_ref: "ok", comment: null } },
    ]);
    expect(await decisionsOf(id)).toEqual([
      { step_ref: "ok", decision_type: "reject", reason: "test key rejected it" },
    ]);
  });
});
