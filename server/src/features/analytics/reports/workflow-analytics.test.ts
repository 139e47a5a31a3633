import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
let good: string;
let bad: string;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  const bench = await workflowBench(world, project);
  bench.onDispatch("no", () => ({ status: 400 }));
  good = await bench.save([{ step_ref: "yes" }, { step_ref: "then", depends_on: ["yes"] }], { slug: "good" });
  bad = await bench.save([{ step_ref: "no" }], { slug: "bad" });
  for (let nth = 0; nth < 3; nth++) await bench.run(good);
  const { run } = await bench.run(bad);
  expect(run.status).toBe("failed");
  const retried = await project.api.post(`/v1/workflow-runs/${run.id}/retry`, {});
  expect(retried.status, retried.text).toBeLessThan(300);
  await world.runUntilIdle();
  await bench.start(await bench.save([{ step_ref: "nap", type: "sleep", sleep_duration: "1h" }], { slug: "nap" }));
  await world.runUntilIdle();
  while (await world.tick("sum-changes"));
}, 60_000);

/** Counted from the workflow runs and decisions with plain statements. */
async function recounted() {
  const [row] = await runSql<{ started: number; completed: number; failed: number; retried: number }>(
    world.connection,
    `select (select count(*) from workflow_runs where project_id = $1)::int as started,
       count(*) filter (where decision_type = 'end' and detail ->> 'status' = 'completed')::int as completed,
       count(*) filter (where decision_type = 'end' and detail ->> 'status' = 'failed')::int as failed,
       count(distinct created_at) filter (where decision_type = 'retry')::int as retried
     from workflow_decisions where project_id = $1`,
    [project.id],
  );
  return row;
}

describe("GET /v1/analytics/workflows/summary", () => {
  it("N4 sums up all workflows, as a plain recount does", async () => {
    const { body, status, text } = await project.api.get("/v1/analytics/workflows/summary");
    expect(status, text).toBe(200);
    expect(body.total).toMatchObject({ ...(await recounted()) });
    expect(body.total).toMatchObject({ started: 5, completed: 3, failed: 2, retried: 1 });
    expect(body.workflows).toBe(3);
    expect(body.total.success_rate).toBe(0.6);
    expect(body.total.completion_rate).toBe(0.8);
    expect(body.total.p50_ms).not.toBeNull();
    const sum = body.buckets.reduce((all: number, { completed }: { completed: number }) => all + completed, 0);
    expect(sum).toBe(3);
  });

  it("shows each version of a workflow over time", async () => {
    const { body } = await project.api.get("/v1/analytics/workflows/summary?group_by=workflow_version&limit=2");
    const { groups, has_more } = body.grouped;
    const sumOf = ({ buckets }: { buckets: { completed: number }[] }) =>
      buckets.reduce((all, { completed }) => all + completed, 0);
    expect([groups[0].name, groups[0].value, sumOf(groups[0])]).toEqual(["good", "1", 3]);
    expect([groups.length, has_more]).toEqual([2, true]);
    expect((await project.api.get("/v1/analytics/workflows/summary")).body.grouped).toBeNull();
  });

  it("counts nothing twice when the consumer runs again", async () => {
    while (await world.tick("sum-changes"));
    const { body } = await project.api.get("/v1/analytics/workflows/summary");
    expect(body.total).toMatchObject({ started: 5, completed: 3, failed: 2 });
  });
});

describe("GET /v1/analytics/workflows/completion-rates", () => {
  it("N3 reports completion and success rates of each workflow and version", async () => {
    const { body, status, text } = await project.api.get("/v1/analytics/workflows/completion-rates");
    expect(status, text).toBe(200);
    expect(body.data).toMatchObject([
      {
        ...{ workflow_id: good, workflow_slug: "good", started: 3, completed: 3, completion_rate: 1, success_rate: 1 },
        versions: [{ version: 1, started: 3, completion_rate: 1 }],
      },
      ...[{ started: 1 }, { started: 1 }],
    ]);
    const failed = body.data.find(({ workflow_id }: { workflow_id: string }) => workflow_id === bad);
    expect(failed).toMatchObject({ failed: 2, retried: 1, completion_rate: 1, success_rate: 0 });
    const open = body.data.find(({ workflow_slug }: { workflow_slug: string }) => workflow_slug === "nap");
    expect(open).toMatchObject({ started: 1, completion_rate: 0, success_rate: null });
  });

  it("filters by workflow, and by workflows with a step of a job", async () => {
    const { body } = await project.api.get("/v1/analytics/workflows/completion-rates?workflow_id=bad");
    expect(body.data.map(({ workflow_id }: { workflow_id: string }) => workflow_id)).toEqual([bad]);
    const { body: jobs } = await project.api.get("/v1/jobs");
    const path = `/v1/analytics/workflows/completion-rates?job_id=${jobs.data[0].slug}`;
    const slugs = (await project.api.get(path)).body.data.map((each: { workflow_slug: string }) => each.workflow_slug);
    expect(slugs.toSorted()).toEqual(["bad", "good"]);
  });
});
