import { beforeAll, describe, expect, it } from "vitest";
import { holderOf, runningRun } from "../../../test/seed/running-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { claimOne, makeJob } from "../../../test/world/queue-world.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { settleRuns } from "../../flow/runs/settle/settle-runs.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
});

async function recordCosts(): Promise<void> {
  while (await world.tick("sum-changes"));
}

/** A run with this duration and usage that completes. */
async function use(project: TestProject, seconds: string, usage: object): Promise<void> {
  const job = await makeJob(project);
  const { body } = await project.api.post(`${job.path}/trigger`, {});
  const run = await claimOne(world.ctx, job);
  const { sdk } = await holderOf(world, body.id);
  await sdk.post("/usage", usage);
  await world.clock.pass(seconds);
  await settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);
}

describe("GET /v1/usage/current", () => {
  it("N12 sums runs, compute time, cost and tokens of the month exactly", async () => {
    await world.clock.set("2035-05-03T00:00:00Z");
    const project = await world.project({ compute_rate_microusd_per_sec: 20 });
    await use(project, "90s", { cost_microusd: 1_000, input_tokens: 10, output_tokens: 3 });
    await use(project, "3s", { cost_microusd: 7, input_tokens: 1 });
    const job = await makeJob(project);
    const idle = await project.api.post(`${job.path}/trigger`, {});
    await project.api.post(`/v1/runs/${idle.body.id}/cancel`);
    await recordCosts();
    const { status, body } = await project.api.get("/v1/usage/current");
    expect(status).toBe(200);
    expect(body).toEqual({
      $schema: `${world.url}/schemas/UsagePeriod.json`,
      period_starts_at: "2035-05-01T00:00:00.000Z",
      period_ends_at: "2035-06-01T00:00:00.000Z",
      is_current: true,
      runs: { total: 3, completed: 2, failed: 0, timed_out: 0, canceled: 1 },
      dispatches: 2,
      compute_seconds: 93,
      compute_microusd: 1_860,
      reported_microusd: 1_007,
      cost_microusd: 2_867,
      input_tokens: 11,
      output_tokens: 3,
      updated_at: "2035-05-03T00:01:33.000Z",
    });
  });

  it("counts every attempt of a run, but the run once", async () => {
    await world.clock.set("2035-06-03T00:00:00Z");
    const project = await world.project({ compute_rate_microusd_per_sec: 10 });
    const job = await makeJob(project, { retry_strategy: "custom", retry_delays_secs: [0] });
    await project.api.post(`${job.path}/trigger`, {});
    const failed = { kind: "failed", retryable: true, error: { code: "x", message: "y" } } as const;
    for (const outcome of [failed, { kind: "completed", result_json: "null" } as const]) {
      const run = await claimOne(world.ctx, job);
      await world.clock.pass("2s");
      await settleRuns(world.ctx, [{ run, outcome }]);
    }
    await recordCosts();
    expect((await project.api.get("/v1/usage/current")).body).toMatchObject({
      runs: { total: 1, completed: 1 },
      dispatches: 2,
      compute_seconds: 4,
      cost_microusd: 40,
    });
  });

  it("is all zeros for a project without usage", async () => {
    const project = await world.project();
    expect((await project.api.get("/v1/usage/current")).body).toMatchObject({
      runs: { total: 0 },
      compute_seconds: 0,
      cost_microusd: 0,
      updated_at: null,
    });
  });

  it("matches a recount of the log, however its batches were split", async () => {
    const project = await world.project({ compute_rate_microusd_per_sec: 3 });
    for (let nth = 1; nth <= 5; nth++) {
      await use(project, `${nth}s`, { cost_microusd: nth });
      if (nth % 2) await recordCosts();
    }
    await recordCosts();
    const { body } = await project.api.get("/v1/usage/current");
    const [recount] = await runSql(
      world.connection,
      `select count(*)::int as runs, (sum(extract(epoch from finished_at - started_at)) * 3)::int + sum(cost_microusd)::int as cost
       from runs where project_id = $1`,
      [project.id],
    );
    expect({ runs: body.runs.total, cost: body.cost_microusd }).toEqual(recount);
  });

  it("caps a sum at the largest exact number", async () => {
    const project = await world.project({ compute_rate_microusd_per_sec: 0 });
    await recordCosts();
    for (let nth = 0; nth < 2; nth++) {
      const { sdk, run_id } = await runningRun(world, project, { accepted: true });
      await sdk.post("/usage", { cost_microusd: 1 });
      await runSql(world.connection, "update run_usage set cost_microusd = $2 where run_id = $1", [
        run_id,
        Number.MAX_SAFE_INTEGER,
      ]);
      await sdk.post("/complete", { result: {} });
      await recordCosts();
    }
    const { body } = await project.api.get("/v1/usage/current");
    expect(body.cost_microusd).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe("GET /v1/usage/history", () => {
  it("N12 lists the billing periods in pages, newest first, with each dispatch in the month in which it ended", async () => {
    const project = await world.project({ compute_rate_microusd_per_sec: 1 });
    for (const at of ["2036-01-31T23:59:58Z", "2036-02-10T00:00:00Z", "2036-03-10T00:00:00Z"]) {
      await world.clock.set(at);
      await use(project, "10s", { cost_microusd: 100 });
      await recordCosts();
    }
    const { body } = await project.api.get("/v1/usage/history");
    const periods = body.data.map((each: Record<string, unknown>) => [
      each.period_starts_at,
      each.compute_microusd,
      each.reported_microusd,
      each.is_current,
    ]);
    expect(periods).toEqual([
      ["2036-03-01T00:00:00.000Z", 10, 100, true],
      ["2036-02-01T00:00:00.000Z", 20, 100, false],
      ["2036-01-01T00:00:00.000Z", 0, 100, false],
    ]);
    const first = await project.api.get("/v1/usage/history?limit=2");
    const second = await project.api.get(`/v1/usage/history?limit=2&cursor=${first.body.next_cursor}`);
    expect([...first.body.data, ...second.body.data]).toEqual(body.data);
    expect([first.body.has_more, second.body.has_more]).toEqual([true, false]);
  });

  it("shows nothing of another project", async () => {
    const [one, other] = [await world.project(), await world.project()];
    await use(one, "1s", { cost_microusd: 5 });
    await recordCosts();
    expect((await one.api.get("/v1/usage/history")).body.data).toHaveLength(1);
    expect((await other.api.get("/v1/usage/history")).body.data).toEqual([]);
  });
});

describe("PUT /v1/usage/email-preferences", () => {
  it("N12 returns exactly {} and stores the preferences for the caller alone", async () => {
    const project = await world.project();
    const other = await project.newKey();
    const response = await project.api.put("/v1/usage/email-preferences", { monthly_usage_email: true });
    expect([response.status, response.text]).toEqual([200, "{}"]);
    const shown = async (api = project.api) => (await api.get("/v1/usage/email-preferences")).body;
    expect(await shown()).toMatchObject({ monthly_usage_email: true, email: null, is_mail_configured: false });
    expect(await shown(other.api)).toMatchObject({ monthly_usage_email: false });
    await project.api.put("/v1/usage/email-preferences", { monthly_usage_email: false });
    expect(await shown()).toMatchObject({ monthly_usage_email: false });
  });

  it.each([
    [{}],
    [{ monthly_usage_email: "yes" }],
    [{ monthly_usage_email: null }],
    [{ monthly_usage_email: true, to: "a@b" }],
  ])("422 for %j", async (body) => {
    const project = await world.project();
    expect((await project.api.put("/v1/usage/email-preferences", body)).status).toBe(422);
  });

  it.each(["a", "a@b\r\nbcc: c@d", "a@b,c@d", "<a@b>"])("422 for the address %j", async (email) => {
    const project = await world.project();
    const body = { monthly_usage_email: true, email };
    expect((await project.api.put("/v1/usage/email-preferences", body)).status).toBe(422);
  });
});

describe("PUT /v1/usage/email-preferences without an address", () => {
  it("422 for a subscription that removes the address: it could not be sent", async () => {
    const project = await world.project();
    const path = "/v1/usage/email-preferences";
    await project.api.put(path, { monthly_usage_email: true, email: "ada@example.com" });
    const { status, body } = await project.api.put(path, { monthly_usage_email: true, email: null });
    expect([status, body.errors[0].location]).toEqual([422, "body.email"]);
    expect((await project.api.get(path)).body).toMatchObject({ monthly_usage_email: true, email: "ada@example.com" });
  });
});

describe("GET /v1/usage/email-preferences", () => {
  it("returns off and no address by default, and keeps a given address", async () => {
    const project = await world.project();
    const path = "/v1/usage/email-preferences";
    expect((await project.api.get(path)).body).toMatchObject({ monthly_usage_email: false, email: null });
    await project.api.put(path, { monthly_usage_email: true, email: "ada@example.com" });
    await project.api.put(path, { monthly_usage_email: false });
    expect((await project.api.get(path)).body).toMatchObject({ monthly_usage_email: false, email: "ada@example.com" });
    await project.api.put(path, { monthly_usage_email: false, email: null });
    expect((await project.api.get(path)).body).toMatchObject({ email: null });
  });
});
