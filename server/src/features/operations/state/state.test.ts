import { beforeAll, describe, expect, it } from "vitest";
import { manyProjects, manyQueued } from "../../../../test/seed/bulk-rows.ts";
import { seedDeliveries } from "../../../../test/seed/seed-delivery.ts";
import { runSql } from "../../../../test/world/database.ts";
import { claimSome, fillQueue, makeJob } from "../../../../test/world/queue-world.ts";
import { testWorker } from "../../../../test/world/test-worker.ts";
import { until } from "../../../../test/world/until.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { settleRuns } from "../../../flow/runs/settle/settle-runs.ts";
import type { Db } from "../../../platform/database/db.ts";
import type { StateFigure } from "../../../platform/metrics/state-gauges.ts";
import { newServiceState } from "../../../platform/service-state.ts";
import { readState, refreshState } from "./refresh-state.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** The values of a figure by its labels, of one project if it is given. */
async function figure(name: StateFigure, project?: string): Promise<Record<string, number>> {
  const rows = (await readState(world.ctx)).filter((row) => row.figure === name);
  const own = rows.filter(({ labels }) => project === undefined || labels.project === project);
  return Object.fromEntries(
    own.map(({ labels: { project: _, ...rest }, value }) => [Object.values(rest).join(" "), value]),
  );
}

const printed = async () => {
  await refreshState({ ...world.ctx, state: newServiceState() });
  return world.ctx.metrics.registry.metrics();
};

describe("the metrics of the service's state", () => {
  it("count due runs by job, ready and blocked, and tell since when the oldest is due", async () => {
    const project = await world.project();
    const job = await makeJob(project);
    await manyQueued(world.connection, job, { count: 3 });
    await manyQueued(world.connection, job, { count: 4, delay_secs: 3_600 });
    await world.clock.pass("90s");
    await manyQueued(world.connection, job, { count: 2 });
    await runSql(
      world.connection,
      `update run_queue set blocked_on = 'job:' || job_id where project_id = $1 and blocked_on is null
         and run_at = (select max(run_at) from run_queue where project_id = $1 and blocked_on is null)`,
      [project.id],
    );
    expect(await figure("backlog_runs", project.slug)).toEqual({ "queued ready": 3, "queued blocked": 2 });
    const ages = await figure("backlog_oldest_seconds", project.slug);
    expect(ages["queued ready"]).toBeGreaterThanOrEqual(90);
    expect(ages["queued blocked"]).toBeLessThan(90);
  });

  it("name the fifty jobs with the longest backlog, and sum up the others", async () => {
    const project = await world.project();
    await manyQueued(world.connection, await makeJob(project), { count: 30 });
    await manyProjects(world.connection, 60);
    const rows = (await readState(world.ctx)).filter((row) => row.figure === "backlog_runs");
    const jobs = new Set(rows.map(({ labels }) => `${labels.project}/${labels.job}`));
    expect(jobs.size).toBe(51);
    expect(jobs).toContain(`${project.slug}/queued`);
    const crowd = rows.filter(({ labels }) => labels.project?.startsWith("crowd-") || labels.project === "other");
    expect(crowd.reduce((sum, { value }) => sum + value, 0)).toBe(60);
  });

  it("count live workers, until they were not seen for a minute", async () => {
    const { api } = await world.project();
    await testWorker(api).claim();
    await until("the worker to be listed", 20_000, async () => (await figure("workers"))[""] === 1);
    await world.clock.pass("61s");
    expect(await figure("workers")).toEqual({ "": 0 });
  });

  it("count webhook deliveries to be sent, and how late the most overdue is", async () => {
    const project = await world.project();
    await seedDeliveries(world.connection, project.id, 3, { url: "http://127.0.0.1:1024/" });
    await world.clock.pass("40s");
    expect(await figure("webhook_deliveries_pending")).toEqual({ due: 3, later: 0 });
    expect((await figure("webhook_overdue_seconds"))[""]).toBeGreaterThanOrEqual(40);
    expect((await figure("webhook_oldest_pending_seconds"))[""]).toBeGreaterThanOrEqual(40);
  });

  it("count outbox entries by kind, with the age of the oldest", async () => {
    const project = await world.project();
    await runSql(
      world.connection,
      `insert into outbox (project_id, transition_id, kind, target_id, created_at)
       select $1, n::text, 'test_kind', 'x', clock() from generate_series(1, 5) n`,
      [project.id],
    );
    await world.clock.pass("20s");
    expect((await figure("outbox_entries")).test_kind).toBe(5);
    expect((await figure("outbox_oldest_seconds")).test_kind).toBeGreaterThanOrEqual(20);
    await runSql(world.connection, "delete from outbox where kind = 'test_kind'");
  });

  it("tell how far a consumer of the changelog is behind", async () => {
    while (await world.tick("sum-changes"));
    expect(await figure("changelog_lag_seconds")).toMatchObject({ "sum-changes": 0 });
    await fillQueue(world.ctx, await makeJob(await world.project()), 2);
    await world.clock.pass("15s");
    expect((await figure("changelog_inbox_rows"))[""]).toBeGreaterThan(0);
    expect((await figure("changelog_lag_seconds"))["sum-changes"]).toBeGreaterThanOrEqual(15);
    while (await world.tick("sum-changes"));
    expect(await figure("changelog_lag_rows")).toMatchObject({ "sum-changes": 0 });
  });

  it("have a value for every gauge, once all of it is in use", async () => {
    await world.tick("check-invariants");
    const found = new Set((await readState(world.ctx)).map((row) => row.figure));
    const optional = ["outbox_entries", "outbox_oldest_seconds"];
    const missing = Object.keys(world.ctx.metrics.state).filter((name) => !found.has(name as StateFigure));
    expect(missing.filter((name) => !optional.includes(name))).toEqual([]);
    expect([...found].filter((name) => !(name in world.ctx.metrics.state))).toEqual([]);
  });

  it("are read once for scrapes within ten seconds, and together for those at once", async () => {
    let statements = 0;
    const query: Db["query"] = (text, parameters) => {
      statements++;
      return world.ctx.db.query(text, parameters);
    };
    const db = { ...world.ctx.db, query };
    const ctx = { ...world.ctx, db, state: newServiceState() };
    await Promise.all([refreshState(ctx), refreshState(ctx)]);
    await refreshState(ctx);
    expect(statements).toBe(1);
  });

  it("are read by instances with the engine role only", async () => {
    const api = await world.anotherInstance({ roles: new Set(["api"]) });
    expect((await api.admin.get("/metrics")).text).not.toMatch(/^millrace_waits /m);
    expect((await world.admin.get("/metrics")).text).toMatch(/^millrace_waits \d/m);
  });

  it("have no values while the database is unavailable", async () => {
    expect(await printed()).toMatch(/^millrace_database_size_bytes \d/m);
    const watch = { ...world.ctx.watch, isUp: () => false };
    await refreshState({ ...world.ctx, watch, state: newServiceState() });
    expect(await world.ctx.metrics.registry.metrics()).not.toMatch(/^millrace_(database_size_bytes|waits)[ {]/m);
  });
});

describe("run durations", () => {
  it("are counted once by the consumer of the changelog, by project, job and status", async () => {
    const project = await world.project();
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 2);
    const claimed = await claimSome(world.ctx, job, 2);
    await world.clock.pass("7s");
    const outcome = { kind: "completed", result_json: "null" } as const;
    await settleRuns(
      world.ctx,
      claimed.map((run) => ({ run, outcome })),
    );
    while (await world.tick("sum-changes"));
    while (await world.tick("sum-changes"));
    const labels = `project="${project.slug}",job="queued",status="completed"`;
    const text = await world.ctx.metrics.registry.metrics();
    expect(text).toContain(`millrace_run_duration_seconds_count{${labels}} 2\n`);
    expect(text).toContain(`millrace_run_duration_seconds_bucket{le="5",${labels}} 0\n`);
    expect(text).toContain(`millrace_run_duration_seconds_bucket{le="10",${labels}} 2\n`);
  });
});
