import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

const REST = { step_ref: "rest", type: "sleep", sleep_duration: "1h" };

async function aBench() {
  const project = await world.project();
  const bench = await workflowBench(world, project);
  const withJobs = (steps: object[]) =>
    steps.map((step) => ("type" in step ? step : { ...step, job_id: bench.job_id }));
  const change = async (workflow: string, steps: object[], fields: object = {}) => {
    const response = await project.api.patch(`/v1/workflows/${workflow}`, { steps: withJobs(steps), ...fields });
    if (response.status !== 200) throw new Error(response.text);
  };
  const migrate = (workflow: string, body: object) => project.api.post(`/v1/workflows/${workflow}/migrate-runs`, body);
  return { project, bench, change, migrate };
}

const explain = async ({ api }: TestProject, id: string) =>
  (await api.get(`/v1/workflow-runs/${id}/explain`)).body.data as Record<string, unknown>[];

describe("POST /v1/workflows/{workflowID}/migrate-runs", () => {
  it("only previews unless dry_run is false; then the run finishes on the new version", async () => {
    const { project, bench, change, migrate } = await aBench();
    holdStep(bench, "a");
    const workflow = await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]);
    const { run } = await bench.run(workflow);
    await change(workflow, [
      { step_ref: "c", depends_on: ["a"] },
      { step_ref: "a" },
      { step_ref: "d", depends_on: ["c"] },
    ]);

    const preview = await migrate(workflow, { to_version: 2 });
    const result = {
      workflow_run_id: run.id,
      from_version: 1,
      added_steps: ["c", "d"],
      removed_steps: ["b"],
      reasons: [],
    };
    expect([preview.status, preview.body]).toMatchObject([
      200,
      {
        dry_run: true,
        batch_id: null,
        to_version: 2,
        next_after: null,
        results: [{ ...result, status: "would_migrate" }],
      },
    ]);
    expect(preview.body.counts).toEqual({ migrated: 0, would_migrate: 1, incompatible: 0, unchanged: 0 });
    expect((await bench.read(run.id)).run).toMatchObject({ version: 1, version_id: run.version_id });

    const done = await migrate(workflow, { to_version: 2, dry_run: false });
    expect(done.body).toMatchObject({ dry_run: false, results: [{ ...result, status: "migrated" }] });
    const after = await bench.read(run.id);
    expect(after.run).toMatchObject({ version: 2, version_id: done.body.to_version_id, status: "running" });
    expect(Object.entries(after.statuses)).toEqual([
      ["c", "pending"],
      ["a", "running"],
      ["d", "pending"],
    ]);
    expect(await finishStep(world, bench, "a")).toBe(200);
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("completed");
    expect(bench.refs()).toEqual(["a", "c", "d"]);
    const decided = (await explain(project, run.id)).filter((each) => each.decision_type === "migrate");
    expect(decided).toMatchObject([
      {
        step_ref: null,
        reason: expect.stringMatching(/^Migrated from version 1 to version 2 by /),
        detail: { from_version: 1, to_version: 2, added: ["c", "d"], removed: ["b"] },
        decided_by: "test key",
        decided_by_id: project.key_id,
      },
    ]);
  });

  it("graph and retry use the new definition; outputs and generations stay", async () => {
    const { project, bench, change, migrate } = await aBench();
    holdStep(bench, "b");
    const steps = [{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }, { step_ref: "c", depends_on: ["b"] }];
    const workflow = await bench.save(steps);
    const { run } = await bench.run(workflow);
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/b/replay-subtree`, {});
    await world.runUntilIdle();
    await change(workflow, [...steps.slice(0, 2), { step_ref: "c", type: "approval", depends_on: ["a"] }]);
    expect((await migrate(workflow, { to_version: 2, dry_run: false })).body.counts.migrated).toBe(1);
    await world.runUntilIdle();
    const { steps: after } = await bench.read(run.id);
    expect([after.a.output, after.a.generation, after.b.generation]).toEqual([{ step: "a" }, 1, 2]);
    expect(after.c).toMatchObject({ type: "approval", status: "waiting" });
    const graph = (await project.api.get(`/v1/workflow-runs/${run.id}/graph`)).body;
    expect([graph.version, graph.edges]).toEqual([
      2,
      [
        { from: "a", to: "b" },
        { from: "a", to: "c" },
      ],
    ]);
    await finishStep(world, bench, "b");
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/c/reject`, {});
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("failed");
    await project.api.post(`/v1/workflow-runs/${run.id}/retry`, {});
    await world.runUntilIdle();
    expect((await project.api.post(`/v1/workflow-runs/${run.id}/steps/c/approve`, {})).status).toBe(200);
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run).toMatchObject({ status: "completed", version: 2 });
  });

  it("waits keep their triggers, and the new version receives an event sent afterwards", async () => {
    const { project, bench, change, migrate } = await aBench();
    const paid = { step_ref: "paid", type: "wait_for_event", event_key: "paid" };
    const workflow = await bench.save([paid]);
    const { id } = (await bench.run(workflow)).run;
    const trigger = "select id, status, expires_at from event_triggers where workflow_run_id = $1";
    const before = await runSql(world.connection, trigger, [id]);
    await change(workflow, [
      paid,
      { step_ref: "ship", depends_on: ["paid"], payload: { of: "{{parent_outputs.paid.of}}" } },
    ]);
    await migrate(workflow, { to_version: 2, dry_run: false });
    await world.runUntilIdle();
    expect(await runSql(world.connection, trigger, [id])).toEqual(before);
    await project.api.post("/v1/events/paid/send", { payload: { of: 7 } });
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("completed");
    expect(bench.endpoint.dispatches.map(({ body }) => body.payload.of)).toEqual([7]);
  });

  it("skips a run whose started steps are changed or removed, with the reason for each", async () => {
    const { bench, change, migrate } = await aBench();
    holdStep(bench, "b");
    const workflow = await bench.save([
      { step_ref: "a" },
      { step_ref: "b", depends_on: ["a"] },
      { ...REST, depends_on: ["b"] },
    ]);
    const { run } = await bench.run(workflow);
    const before = await bench.read(run.id);
    await change(workflow, [{ step_ref: "b", timeout_secs: 9 }, REST]);
    for (const dry_run of [true, false]) {
      const { body } = await migrate(workflow, { to_version: 2, dry_run });
      expect(body.counts).toEqual({ migrated: 0, would_migrate: 0, incompatible: 1, unchanged: 0 });
      expect(body.results[0]).toMatchObject({
        workflow_run_id: run.id,
        status: "incompatible",
        reasons: [
          { step_ref: "a", code: "step_removed", message: "The step a is completed, but the target does not have it." },
          { step_ref: "b", code: "step_changed", fields: ["depends_on", "timeout_secs"] },
        ],
      });
    }
    expect(await bench.read(run.id)).toEqual(before);
  });

  it("migrates pending and paused runs too, and skips ended ones", async () => {
    const { project, bench, change, migrate } = await aBench();
    const workflow = await bench.save([REST]);
    const pending = await bench.start(workflow, { delay_secs: 60 });
    const paused = await bench.start(workflow);
    await project.api.post(`/v1/workflow-runs/${paused}/pause`, {});
    const ended = await bench.start(workflow);
    await project.api.post(`/v1/workflow-runs/${ended}/cancel`, {});
    await change(workflow, [REST, { step_ref: "more", depends_on: ["rest"] }]);
    const { body } = await migrate(workflow, { to_version: 2, dry_run: false });
    expect(body.results.map((each: { workflow_run_id: string }) => each.workflow_run_id).toSorted()).toEqual(
      [pending, paused].toSorted(),
    );
    expect((await bench.read(pending)).run).toMatchObject({ status: "pending", version: 2 });
    expect((await bench.read(paused)).run).toMatchObject({ status: "paused", version: 2 });
    expect((await bench.read(ended)).run).toMatchObject({ status: "canceled", version: 1 });
    const named = await migrate(workflow, { to_version: 2, workflow_run_ids: [ended, paused] });
    expect(
      Object.fromEntries(named.body.results.map((each: Record<string, unknown>) => [each.workflow_run_id, each])),
    ).toMatchObject({
      [ended]: { status: "incompatible", reasons: [{ code: "ended" }] },
      [paused]: { status: "unchanged", reasons: [{ code: "already_there" }] },
    });
  });

  it("from_version restricts it, and a call continues after the last run of the previous call", async () => {
    const { bench, change, migrate } = await aBench();
    const workflow = await bench.save([REST]);
    const old = await Promise.all([1, 2, 3].map(() => bench.start(workflow)));
    await change(workflow, [REST, { step_ref: "x" }]);
    const newer = await bench.start(workflow);
    await change(workflow, [REST, { step_ref: "x" }, { step_ref: "y" }]);
    const idsOf = ({ body }: { body: { results: { workflow_run_id: string }[] } }) =>
      body.results.map((each) => each.workflow_run_id);
    expect(idsOf(await migrate(workflow, { to_version: 3, from_version: 2 }))).toEqual([newer]);
    const first = await migrate(workflow, { to_version: 3, limit: 2 });
    const second = await migrate(workflow, { to_version: 3, limit: 2, after: first.body.next_after });
    expect([...idsOf(first), ...idsOf(second)]).toEqual([...old, newer].toSorted());
    expect([first.body.next_after, second.body.next_after]).toEqual([idsOf(first)[1], null]);
    const both = await migrate(workflow, { to_version: 3, from_version: 1, workflow_run_ids: [newer], dry_run: false });
    expect(both.body.results).toMatchObject([{ status: "unchanged", reasons: [{ code: "other_version" }] }]);
  });

  it("applies the target's timeout_secs if it differs, in full from now on", async () => {
    const own = await makeFlowWorld();
    const project = await own.project();
    const bench = await workflowBench(own, project);
    await own.clock.set("2030-01-01T00:00:00Z");
    const workflow = await bench.save([REST], { timeout_secs: 600 });
    const id = await bench.start(workflow);
    await own.clock.pass("60s");
    const path = `/v1/workflows/${workflow}`;
    await project.api.patch(path, { steps: [REST, { ...REST, step_ref: "more" }] });
    await project.api.post(`${path}/migrate-runs`, { to_version: 2, dry_run: false });
    expect((await bench.read(id)).run.deadline).toBe("2030-01-01T00:10:00.000Z");
    await project.api.patch(path, { timeout_secs: 30 });
    await project.api.post(`${path}/migrate-runs`, { to_version: 3, dry_run: false });
    expect((await bench.read(id)).run).toMatchObject({ timeout_secs: 30, deadline: "2030-01-01T00:01:30.000Z" });
    await project.api.patch(path, { timeout_secs: null });
    await project.api.post(`${path}/migrate-runs`, { to_version: 4, dry_run: false });
    expect((await bench.read(id)).run).toMatchObject({ timeout_secs: null, deadline: null });
  });

  it("is audited once, and stored as a finished batch operation", async () => {
    const { project, bench, change, migrate } = await aBench();
    const workflow = await bench.save([REST]);
    await Promise.all([1, 2, 3].map(() => bench.start(workflow)));
    await change(workflow, [REST, { step_ref: "x" }]);
    await migrate(workflow, { to_version: 2 });
    const { batch_id } = (await migrate(workflow, { to_version: 2, dry_run: false })).body;
    const audit = "select after from audit_events where project_id = $1 and action = 'workflow.runs_migrated'";
    expect(await runSql(world.connection, audit, [project.id])).toEqual([
      { after: expect.objectContaining({ to_version: 2, runs: 3, batch_id, from_version_id: null }) },
    ]);
    const batch = "select kind, status, total, succeeded from batch_operations where id = $1";
    expect(await runSql(world.connection, batch, [batch_id])).toEqual([
      { kind: "migrate_workflow_runs", status: "completed", total: 3, succeeded: 3 },
    ]);
    const nothing = await migrate(workflow, { to_version: 2, dry_run: false });
    expect(nothing.body).toMatchObject({ batch_id: null, results: [] });
    expect(await runSql(world.connection, audit, [project.id])).toHaveLength(1);
  });

  it("422 for a version of another workflow, and from a version to itself", async () => {
    const { bench, migrate } = await aBench();
    const workflow = await bench.save([REST]);
    const foreign = (await bench.read(await bench.start(await bench.save([REST])))).run.version_id;
    const bodies = [
      { to_version: 2 },
      { to_version: foreign },
      { to_version: 1, from_version: 7 },
      { to_version: 1, from_version: 1 },
    ];
    const responses = await Promise.all(bodies.map((body) => migrate(workflow, body)));
    expect(responses.map(({ status, body }) => [status, body.errors[0].location])).toEqual([
      [422, "body.to_version"],
      [422, "body.to_version"],
      [422, "body.from_version"],
      [422, "body.from_version"],
    ]);
  });

  it("a run of another project, workflow or environment is not found", async () => {
    const { project, bench, change, migrate } = await aBench();
    const workflow = await bench.save([REST]);
    const mine = await bench.start(workflow);
    const other = await bench.start(await bench.save([REST]));
    const otherBench = await aBench();
    const foreign = await otherBench.bench.start(await otherBench.bench.save([REST]));
    await change(workflow, [REST, { step_ref: "x" }]);
    const unseen = { status: "incompatible", from_version: null, reasons: [{ code: "not_found" }] };
    const asked = await migrate(workflow, {
      to_version: 2,
      dry_run: false,
      workflow_run_ids: [other, foreign, newId()],
    });
    expect(asked.body.results).toMatchObject([unseen, unseen, unseen]);
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const { api } = await project.newKey({ environment_id: staging });
    const path = `/v1/workflows/${workflow}/migrate-runs`;
    expect((await api.post(path, { to_version: 2, dry_run: false })).body.results).toEqual([]);
    const named = await api.post(path, { to_version: 2, dry_run: false, workflow_run_ids: [mine] });
    expect(named.body.results).toMatchObject([unseen]);
    expect((await bench.read(mine)).run.version).toBe(1);
    const staged = await api.post(`/v1/workflows/${workflow}/trigger`, { version: 1 });
    expect((await api.post(path, { to_version: 2, dry_run: false })).body.results).toMatchObject([
      { workflow_run_id: staged.body.id, status: "migrated" },
    ]);
  });
});
