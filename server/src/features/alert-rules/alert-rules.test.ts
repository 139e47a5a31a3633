import { beforeAll, describe, expect, it } from "vitest";
import { seedSubscription } from "../../../test/seed/seed-subscription.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function create(project: TestProject, fields: object = {}) {
  const { status, body, text } = await project.api.post("/v1/alert-rules", {
    ...{ name: "Overspent", kind: "budget", ...fields },
  });
  expect(status, text).toBe(201);
  return { ...body, path: `/v1/alert-rules/${body.id}` };
}

async function overspend({ id, api }: TestProject): Promise<void> {
  await api.put("/v1/project-budget", { monthly_budget_microusd: 1_000 });
  await runSql(world.connection, "update project_budgets set settled_microusd = 900 where project_id = $1", [id]);
}

async function fire(project: TestProject): Promise<void> {
  await overspend(project);
  await world.clock.pass("31s");
  while (await world.tick("evaluate-alert-rules"));
}

const events = async (project_id: string) =>
  (
    await runSql<{ event_type: string }>(
      world.connection,
      "select event_type from webhook_deliveries where project_id = $1 order by event_type",
      [project_id],
    )
  ).map(({ event_type }) => event_type);

describe("POST /v1/alert-rules", () => {
  it("has defaults for each kind, and accepts slugs", async () => {
    const project = await world.project();
    const job = (await project.api.post("/v1/jobs", { name: "Bill", delivery: "pull" })).body;
    const rule = await create(project, { kind: "slo_burn_rate", job_id: "bill", environment_id: "production" });
    expect(rule).toMatchObject({ job_id: job.id, objective: 0.99, threshold: 14.4, window_secs: 3_600, state: "ok" });
  });

  it("refuses targets that the kind cannot measure, two targets, and unknown ones", async () => {
    const project = await world.project();
    const locations = async (fields: object) => {
      const { body } = await project.api.post("/v1/alert-rules", { name: "Rule", ...fields });
      return (body.errors ?? []).map(({ location }: { location: string }) => location);
    };
    expect(await locations({ kind: "budget", queue: "default" })).toEqual(["body.queue"]);
    expect(await locations({ kind: "queue_depth", queue: "default", tag: "team" })).toEqual(["body.tag"]);
    expect(await locations({ kind: "failure_rate", job_id: "nobody", threshold: 20 })).toEqual([
      "body.threshold",
      "body.job_id",
    ]);
    const channel_ids = ["00000000-0000-7000-8000-000000000000"];
    expect(await locations({ kind: "budget", channel_ids })).toEqual(["body.channel_ids.0"]);
    expect(await locations({ kind: "budget", objective: 0.9 })).toEqual(["body.objective"]);
  });
});

describe("GET /v1/alert-rules", () => {
  it("filters by state and kind", async () => {
    const project = await world.project();
    const { id } = await create(project);
    await create(project, { kind: "queue_depth" });
    await fire(project);
    const ids = async (query: string) =>
      (await project.api.get(`/v1/alert-rules?${query}`)).body.data.map((rule: { id: string }) => rule.id);
    expect([await ids("state=firing"), await ids("kind=budget")]).toEqual([[id], [id]]);
  });
});

describe("GET /v1/alert-rules/{alertRuleID}", () => {
  it("shows since when it fires, and the alert", async () => {
    const project = await world.project();
    const { path } = await create(project);
    await fire(project);
    const { body } = await project.api.get(path);
    expect(body).toMatchObject({ state: "firing", value: 90 });
    expect((await project.api.get(`/v1/alerts/${body.alert_id}`)).body).toMatchObject({
      ...{ status: "firing", summary: "90 % of the monthly budget is spent (limit 80 %)." },
    });
  });
});

describe("PATCH /v1/alert-rules/{alertRuleID}", () => {
  it("L7 disabling a rule that fires resolves its alert and says so", async () => {
    const project = await world.project();
    await seedSubscription(world.connection, project.id, { events: ["alert.*"] });
    const { path } = await create(project);
    await fire(project);
    expect((await project.api.patch(path, { enabled: false })).body).toMatchObject({ state: "ok", alert_id: null });
    const { data } = (await project.api.get("/v1/alerts")).body;
    expect(data).toMatchObject([{ status: "resolved", resolved_because: "rule_disabled" }]);
    expect(await events(project.id)).toEqual(["alert.fired", "alert.resolved"]);
  });
});

describe("DELETE /v1/alert-rules/{alertRuleID}", () => {
  it("L7 deleting a rule that fires resolves its alert, which stays in the list", async () => {
    const project = await world.project();
    const { path, id } = await create(project);
    await fire(project);
    expect((await project.api.delete(path)).status).toBe(204);
    const { data } = (await project.api.get(`/v1/alerts?rule_id=${id}`)).body;
    expect(data).toMatchObject([{ status: "resolved", resolved_because: "rule_deleted" }]);
  });
});

describe("POST /v1/alert-rules/{alertRuleID}/silence", () => {
  it("ends with a duration of 0", async () => {
    const project = await world.project();
    const { path } = await create(project);
    expect((await project.api.post(`${path}/silence`, { duration_secs: 60 })).body.silenced_until).not.toBeNull();
    expect((await project.api.post(`${path}/silence`, { duration_secs: 0 })).body.silenced_until).toBeNull();
  });
});

describe("POST /v1/alert-rules/{alertRuleID}/test", () => {
  it("says whether the rule would fire, and changes nothing", async () => {
    const project = await world.project();
    const { path } = await create(project);
    expect((await project.api.post(`${path}/test`)).body).toMatchObject({ value: null, would_fire: false });
    await overspend(project);
    expect((await project.api.post(`${path}/test`)).body).toMatchObject({ value: 90, would_fire: true });
    expect((await project.api.get(path)).body.state).toBe("ok");
  });
});

describe("GET /v1/alerts", () => {
  it("filters by status", async () => {
    const project = await world.project();
    await create(project);
    await fire(project);
    const count = async (status: string) => (await project.api.get(`/v1/alerts?status=${status}`)).body.data.length;
    expect([await count("firing"), await count("resolved")]).toEqual([1, 0]);
  });
});

describe("GET /v1/alerts/{alertID}", () => {
  it("is 404 in another project", async () => {
    const [project, other] = [await world.project(), await world.project()];
    await create(project);
    await fire(project);
    const [{ id }] = (await project.api.get("/v1/alerts")).body.data;
    expect((await other.api.get(`/v1/alerts/${id}`)).status).toBe(404);
  });
});
