import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { rounds } from "../../../../test/world/rounds.ts";
import type { World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

const ROUNDS = rounds(2);

/** A bench that saves a second version of a workflow and migrates its runs to it. */
async function aBench() {
  const project = await world.project();
  const bench = await workflowBench(world, project);
  const given = (steps: object[]) => steps.map((step) => ("type" in step ? step : { ...step, job_id: bench.job_id }));
  const save = async (steps: object[], next: object[]) => {
    const workflow = await bench.save(steps);
    const changed = await project.api.patch(`/v1/workflows/${workflow}`, { steps: given(next) });
    if (changed.status !== 200) throw new Error(changed.text);
    return workflow;
  };
  const start = async (workflow: string) => (await bench.run(workflow, { version: 1 })).run.id as string;
  const migrate = (workflow: string, ids: string[], to_version = 2) =>
    project.api.post(`/v1/workflows/${workflow}/migrate-runs`, { to_version, dry_run: false, workflow_run_ids: ids });
  return { project, bench, save, start, migrate };
}

/** Differences from the definition of its version. */
const disordered = (project_id: string) =>
  runSql(
    world.connection,
    `select w.id, w.version, d.ref, s.step_ref from workflow_runs w
     join workflow_versions v on v.project_id = w.project_id and v.id = w.version_id and v.version = w.version
     cross join lateral (select x.value ->> 'step_ref' as ref, x.value ->> 'type' as type, x.ordinality - 1 as position
       from jsonb_array_elements(v.steps) with ordinality x) d
     full join step_runs s on s.project_id = w.project_id and s.workflow_run_id = w.id and s.step_ref = d.ref
     where coalesce(w.project_id, s.project_id) = $1
       and (s.step_ref is null or d.ref is null or s.position <> d.position or s.type <> d.type)`,
    [project_id],
  );

const runsOf = (id: string) =>
  runSql<{ step_ref: string; status: string }>(
    world.connection,
    "select step_ref, status from runs where workflow_run_id = $1 order by step_ref",
    [id],
  );

describe("a migration concurrent with", () => {
  it("the end of a step: the next one is started once, by the version that came first", async () => {
    const { project, bench, save, start, migrate } = await aBench();
    holdStep(bench, "a");
    const next = [{ step_ref: "a" }, { step_ref: "c", depends_on: ["a"] }];
    const workflow = await save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }], next);
    for (let round = 0; round < ROUNDS; round++) {
      const id = await start(workflow);
      const [moved] = await Promise.all([migrate(workflow, [id]), finishStep(world, bench, "a")]);
      await world.runUntilIdle();
      const { run, statuses } = await bench.read(id);
      const [{ status }] = moved.body.results;
      const last = status === "migrated" ? "c" : "b";
      expect([run.version, run.status]).toEqual([status === "migrated" ? 2 : 1, "completed"]);
      expect(statuses).toEqual({ a: "completed", [last]: "completed" });
      expect((await runsOf(id)).map(({ step_ref }) => step_ref)).toEqual(["a", last]);
    }
    expect(await disordered(project.id)).toEqual([]);
  });

  it("an event: it is received once, and the dependents are of one version", async () => {
    const { project, bench, save, start, migrate } = await aBench();
    const wait = [{ step_ref: "paid", type: "wait_for_event", event_key: "paid" }];
    const workflow = await save(
      [...wait, { step_ref: "old", depends_on: ["paid"] }],
      [...wait, { step_ref: "new", depends_on: ["paid"] }],
    );
    for (let round = 0; round < ROUNDS; round++) {
      const id = await start(workflow);
      const send = () => project.api.post("/v1/events/paid/send", { payload: { round } });
      const [moved, sent] = await Promise.all([migrate(workflow, [id]), send()]);
      await world.runUntilIdle();
      const { run, statuses, steps } = await bench.read(id);
      const isMoved = moved.body.results[0].status === "migrated";
      expect([sent.status, run.status, run.version]).toEqual([200, "completed", isMoved ? 2 : 1]);
      expect(statuses).toEqual({ paid: "completed", [isMoved ? "new" : "old"]: "completed" });
      expect(steps.paid.output).toEqual({ round });
    }
    expect(await disordered(project.id)).toEqual([]);
  });

  it("a cancel: the run is canceled, and nothing of it is left", async () => {
    const { project, bench, save, start, migrate } = await aBench();
    holdStep(bench, "a");
    const workflow = await save([{ step_ref: "a" }], [{ step_ref: "a" }, { step_ref: "b" }]);
    for (let round = 0; round < ROUNDS; round++) {
      const id = await start(workflow);
      const [moved, canceled] = await Promise.all([
        migrate(workflow, [id]),
        project.api.post(`/v1/workflow-runs/${id}/cancel`, {}),
      ]);
      await world.runUntilIdle();
      const { run, statuses } = await bench.read(id);
      const isMoved = moved.body.results[0].status === "migrated";
      expect([canceled.status, run.status, run.version]).toEqual([200, "canceled", isMoved ? 2 : 1]);
      expect(new Set(Object.values(statuses)).size).toBeLessThanOrEqual(2);
      expect((await runsOf(id)).filter(({ status }) => status !== "canceled" && status !== "completed")).toEqual([]);
    }
    expect(await disordered(project.id)).toEqual([]);
  });

  it("other migrations, pauses and retries: each run is consistently on one version, and ends", async () => {
    const { project, bench, save, start, migrate } = await aBench();
    holdStep(bench, "a");
    const workflow = await save(
      [{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }],
      [{ step_ref: "x", depends_on: ["a"] }, { step_ref: "a" }, { step_ref: "y", depends_on: ["x"] }],
    );
    const ids: string[] = [];
    for (let nth = 0; nth < 3; nth++) ids.push(await start(workflow));
    const post = (verb: string) =>
      Promise.all(ids.map((id) => project.api.post(`/v1/workflow-runs/${id}/${verb}`, {})));
    const responses = await Promise.all([
      ...[2, 1, 2, 1, 2].map((to) => migrate(workflow, ids, to)),
      post("pause").then(() => post("resume")),
      post("steps/a/replay-subtree"),
    ]);
    expect(responses.flat().map(({ status }) => status)).toEqual(responses.flat().map(() => 200));
    expect((await migrate(workflow, ids, 2)).body.counts.incompatible).toBe(0);
    await post("resume");
    await world.runUntilIdle();
    expect(await disordered(project.id)).toEqual([]);
    bench.onDispatch("a", () => undefined);
    await post("steps/a/replay-subtree");
    await world.runUntilIdle();
    for (const id of ids) {
      const { run, statuses } = await bench.read(id);
      expect([run.status, run.version, statuses]).toEqual([
        "completed",
        2,
        { x: "completed", a: "completed", y: "completed" },
      ]);
    }
  });
});
