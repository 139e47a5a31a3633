import { beforeAll, describe, expect, it } from "vitest";
import { listener } from "../../../test/oracles/published-events.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
});

const PATH = "/v1/project-budget";

/** A run that reports this amount and ends, with its cost recorded. */
async function spend(project: TestProject, cost_microusd: number): Promise<void> {
  const { sdk } = await runningRun(world, project, { accepted: true });
  expect((await sdk.post("/usage", { cost_microusd })).status).toBe(200);
  expect((await sdk.post("/complete", { result: {} })).status).toBe(200);
  while (await world.tick("sum-changes"));
}

async function freeProject(): Promise<TestProject> {
  return world.project({ compute_rate_microusd_per_sec: 0 });
}

async function audited(project: TestProject, action: string) {
  const { body } = await project.api.get(`/v1/audit-events?action=${action}`);
  return body.data.map((each: { after: Record<string, unknown> }) => each.after);
}

describe("GET /v1/project-budget", () => {
  it("N12 shows a project without a budget: no amount, notify, and this month's spending", async () => {
    await world.clock.set("2031-03-10T12:00:00Z");
    const project = await freeProject();
    await spend(project, 70);
    const { status, body } = await project.api.get(PATH);
    expect(status).toBe(200);
    expect(body).toEqual({
      $schema: `${world.url}/schemas/ProjectBudget.json`,
      project_id: project.id,
      monthly_budget_microusd: null,
      action: "notify",
      thresholds: [50, 80, 100],
      period_starts_at: "2031-03-01T00:00:00.000Z",
      period_ends_at: "2031-04-01T00:00:00.000Z",
      settled_microusd: 70,
      reserved_microusd: 0,
      remaining_microusd: null,
      raised_thresholds: [],
      blocked_at: null,
    });
  });

  it("shows a new period as soon as it has begun, even if nothing has read it yet", async () => {
    await world.clock.set("2031-03-31T23:59:59Z");
    const project = await freeProject();
    await project.api.put(PATH, { monthly_budget_microusd: 100, action: "notify" });
    await spend(project, 60);
    expect((await project.api.get(PATH)).body).toMatchObject({ settled_microusd: 60, raised_thresholds: [50] });
    await world.clock.set("2031-04-01T00:00:00Z");
    expect((await project.api.get(PATH)).body).toMatchObject({
      period_starts_at: "2031-04-01T00:00:00.000Z",
      settled_microusd: 0,
      remaining_microusd: 100,
      raised_thresholds: [],
    });
  });
});

describe("PUT /v1/project-budget", () => {
  it("N12 sets amount, action and thresholds, records an audit event, and counts earlier spending", async () => {
    const project = await freeProject();
    await spend(project, 30);
    const body = { monthly_budget_microusd: 1_000, action: "block", thresholds: [90, 10] };
    const response = await project.api.put(PATH, body);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      ...body,
      thresholds: [10, 90],
      settled_microusd: 30,
      remaining_microusd: 970,
    });
    expect((await project.api.get(PATH)).body).toEqual(response.body);
    expect(await audited(project, "project_budget.updated")).toEqual([{ ...body, thresholds: [10, 90] }]);
  });

  it("N12 accepts an earlier GET response with the amount raised, although more was spent since", async () => {
    const project = await freeProject();
    await project.api.put(PATH, { monthly_budget_microusd: 100, action: "notify" });
    const { body } = await project.api.get(PATH);
    await spend(project, 60);
    const response = await project.api.put(PATH, { ...body, monthly_budget_microusd: 200 });
    expect(response.status, response.text).toBe(200);
    expect(response.body).toMatchObject({
      monthly_budget_microusd: 200,
      settled_microusd: 60,
      remaining_microusd: 140,
    });
  });

  it("resets to notify and the default thresholds when omitted, and to no budget with null", async () => {
    const project = await freeProject();
    await project.api.put(PATH, { monthly_budget_microusd: 5, action: "block", thresholds: [1] });
    const { body } = await project.api.put(PATH, { monthly_budget_microusd: null });
    expect(body).toMatchObject({ monthly_budget_microusd: null, action: "notify", thresholds: [50, 80, 100] });
  });

  it.each([
    [{}, "body.monthly_budget_microusd"],
    [{ monthly_budget_microusd: -1 }, "body.monthly_budget_microusd"],
    [{ monthly_budget_microusd: 1.5 }, "body.monthly_budget_microusd"],
    [{ monthly_budget_microusd: 1, action: "stop" }, "body.action"],
    [{ monthly_budget_microusd: 1, thresholds: [0] }, "body.thresholds[0]"],
    [{ monthly_budget_microusd: 1, thresholds: [5, 5] }, "body.thresholds"],
    [{ monthly_budget_microusd: 1, cap: 2 }, "body.cap"],
  ])("422 for %j, with its location", async (body, location) => {
    const project = await freeProject();
    const response = await project.api.put(PATH, body);
    expect(response.status).toBe(422);
    expect(response.body.errors.map((each: { location: string }) => each.location)).toContain(location);
  });

  it.each([
    ["9007199254740992", "must be at most 1000000000000000"],
    ["-9007199254740992", "must be at least 0"],
  ])("names the limit for %s, and does not suggest a string that it rejects too", async (literal, message) => {
    const project = await freeProject();
    const response = await project.api.put(PATH, `{"monthly_budget_microusd": ${literal}}`);
    const location = "body.monthly_budget_microusd";
    expect([response.status, response.body.errors]).toEqual([422, [{ location, message, value: literal }]]);
  });

  it("403 for a key without usage:write, and for one bound to an environment", async () => {
    const project = await freeProject();
    const reader = await project.newKey({ scopes: ["usage:read"] });
    expect((await reader.api.put(PATH, { monthly_budget_microusd: 1 })).status).toBe(403);
    expect((await reader.api.get(PATH)).status).toBe(200);
    const environment_id = (await project.api.get("/v1/environments/staging")).body.id;
    const bound = await project.newKey({ environment_id });
    expect((await bound.api.put(PATH, { monthly_budget_microusd: 1 })).status).toBe(403);
  });
});

describe("the thresholds of a budget", () => {
  it("N12 each raise one webhook event and one audit event per period, however often they are passed", async () => {
    await world.clock.set("2031-05-10T00:00:00Z");
    const project = await freeProject();
    const { published } = await listener(world, project.id, { events: ["budget.*"] });
    await project.api.put(PATH, { monthly_budget_microusd: 100 });
    for (const cost of [49, 1, 10, 25, 40]) {
      await spend(project, cost);
      await world.clock.pass("1s"); // events of one instant have no order
    }
    const events = (await published()).map(({ type, data }) => [type, data.threshold_percent, data.settled_microusd]);
    expect(events).toEqual([
      ["budget.warning", 50, 50],
      ["budget.warning", 80, 85],
      ["budget.exceeded", 100, 125],
    ]);
    expect(await audited(project, "budget.warning")).toHaveLength(2);
    expect(await audited(project, "budget.exceeded")).toMatchObject([
      { threshold_percent: 100, settled_microusd: 125, monthly_budget_microusd: 100 },
    ]);
  });

  it("are both reported when two are reached at once", async () => {
    const project = await freeProject();
    await project.api.put(PATH, { monthly_budget_microusd: 100, thresholds: [20, 40, 60] });
    await spend(project, 45);
    expect(await audited(project, "budget.warning")).toHaveLength(2);
    expect((await project.api.get(PATH)).body.raised_thresholds).toEqual([20, 40]);
  });

  it("are reported at once when a budget is set below the spending, and again when it is raised and reached again", async () => {
    const project = await freeProject();
    await spend(project, 90);
    await project.api.put(PATH, { monthly_budget_microusd: 100, thresholds: [80] });
    expect(await audited(project, "budget.warning")).toHaveLength(1);
    await project.api.put(PATH, { monthly_budget_microusd: 110, thresholds: [80] });
    expect(await audited(project, "budget.warning")).toHaveLength(1);
    await project.api.put(PATH, { monthly_budget_microusd: 1_000, thresholds: [80] });
    expect((await project.api.get(PATH)).body.raised_thresholds).toEqual([]);
    await spend(project, 710);
    expect(await audited(project, "budget.warning")).toHaveLength(2);
  });

  it("are reported again in the next period", async () => {
    await world.clock.set("2031-06-30T00:00:00Z");
    const project = await freeProject();
    await project.api.put(PATH, { monthly_budget_microusd: 100, thresholds: [50] });
    await spend(project, 60);
    await world.clock.set("2031-07-01T00:00:01Z");
    await spend(project, 10);
    expect(await audited(project, "budget.warning")).toHaveLength(1);
    await spend(project, 50);
    expect(await audited(project, "budget.warning")).toHaveLength(2);
    expect((await project.api.get(PATH)).body.settled_microusd).toBe(60);
  });
});
