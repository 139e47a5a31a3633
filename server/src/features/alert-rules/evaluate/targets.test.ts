import { beforeAll, describe, expect, it } from "vitest";
import { makeJob } from "../../../../test/seed/make-workflow.ts";
import { seedLives } from "../../../../test/seed/seed-lives.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;

beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:30.000Z");
  project = await world.project();
  for (const name of ["shop", "bank"]) await project.api.post("/v1/queues", { name });
  await end("shop", "production", "failed");
  await end("bank", "staging", "completed");
  while (await world.tick("sum-changes"));
  await endWorkflow("Order", { completed: 0, failed: 10 });
  await endWorkflow("Refund", { completed: 10, failed: 0 });
});

/** Ten runs of a job in a queue and with a tag of its name. */
async function end(name: string, environment: string, status: "completed" | "failed"): Promise<void> {
  const { api } = project;
  const job = (await api.post("/v1/jobs", { name, delivery: "pull", queue: name, tags: { team: name } })).body;
  const environment_id = (await api.get(`/v1/environments/${environment}`)).body.id as string;
  const at = await world.clock.now();
  const error = status === "failed" ? { error: { code: "http_500", message: "no stock" } } : {};
  const life = { ...{ created_at: at, started_at: at, ended_at: at, status, environment_id }, ...error };
  await seedLives(
    world.connection,
    project.id,
    Array.from({ length: 10 }, () => ({ ...life, job_id: job.id, job_version_id: job.version_id })),
  );
}

async function endWorkflow(name: string, { completed, failed }: { completed: number; failed: number }): Promise<void> {
  const job_id = (await project.api.get("/v1/jobs/shop")).body.id;
  const steps = [{ step_ref: "only", job_id }];
  const { id } = (await project.api.post("/v1/workflows", { name, steps })).body;
  await runSql(
    world.connection,
    `insert into rollups (project_id, series, split, grain, bucket_at, subject_id, environment_id, part, counts)
     select $1, 'workflows', 'workflow', 60, date_trunc('minute', clock()), $2, e.id, '', array[10, $3::int, $4::int, 0, 0, 0, 0]
     from environments e where e.project_id = $1 and e.slug = 'production'`,
    [project.id, id, completed, failed],
  );
}

async function wouldFire(target: object): Promise<boolean> {
  const rule = await project.api.post("/v1/alert-rules", {
    name: "Rule",
    kind: "failure_rate",
    threshold: 0.6,
    ...target,
  });
  expect(rule.status, rule.text).toBe(201);
  return (await project.api.post(`/v1/alert-rules/${rule.body.id}/test`)).body.would_fire;
}

describe("a rule for", () => {
  it.each([
    ["a job", { job_id: "shop" }, { job_id: "bank" }],
    ["a queue", { queue: "shop" }, { queue: "bank" }],
    ["a tag", { tag: "team:shop" }, { tag: "team:bank" }],
    ["an environment", { environment_id: "production" }, { environment_id: "staging" }],
    ["a workflow", { workflow_id: "order" }, { workflow_id: "refund" }],
  ])("L1 %s measures nothing else", async (_, failing, healthy) => {
    expect([await wouldFire(failing), await wouldFire(healthy)]).toEqual([true, false]);
  });

  it("L1 a job fires for its endpoint, however many others are down", async () => {
    const { id } = await makeJob(project, { name: "Ship", endpoint_url: "https://z.example.com/" });
    await runSql(
      world.connection,
      `insert into circuits (project_id, host, status, down_since, updated_at)
       select $1, h, 'closed', clock(), clock() from (select 'a' || n || '.example.com' from generate_series(1, 30) as n
         union all select 'z.example.com') as hosts(h)`,
      [project.id],
    );
    const down = { kind: "endpoint_down", threshold: 0 };
    expect([await wouldFire({ ...down, job_id: id }), await wouldFire({ ...down, job_id: "shop" })]).toEqual([
      true,
      false,
    ]);
    expect(await wouldFire({ ...down, threshold: 30 })).toBe(true);
  });

  it("L1 the whole project measures all of it", async () => {
    expect(await wouldFire({})).toBe(false);
    expect(await wouldFire({ threshold: 0.4 })).toBe(true);
  });
});
