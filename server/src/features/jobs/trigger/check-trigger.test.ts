import { beforeAll, describe, expect, it } from "vitest";
import { budgetBench } from "../../../../test/costs/budget-bench.ts";
import { seen } from "../../../../test/outside/seen.ts";
import { endRun } from "../../../../test/seed/end-run.ts";
import type { Client } from "../../../../test/world/client.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeJob } from "../../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  // A budget covers a month, which must not end during a test.
  await world.clock.set("2030-01-15T12:00:00Z");
  project = await world.project();
});

const dry = (path: string, body: object = {}, api: Client = project.api) =>
  api.post(`${path}/trigger`, { ...body, dry_run: true });
const real = (path: string, body: object = {}, api: Client = project.api) => api.post(`${path}/trigger`, body);

/** Everything a trigger could write in a project. */
async function writtenIn({ id }: TestProject) {
  const tables = ["runs", "run_queue", "idempotency_keys", "budget_reservations", "project_budgets", "audit_events"];
  const parts = tables.map((table) => `select to_jsonb(t)::text as row from ${table} t where project_id = $1`);
  return runSql(world.connection, `${parts.join(" union all ")} order by 1`, [id]);
}

describe("a dry run of a trigger", () => {
  it("is 402 with the same message when the budget is exhausted, without reserving or notifying anything", async () => {
    const bench = await budgetBench(world, 150);
    const { path } = await bench.job();
    const { api } = bench.project;
    expect((await dry(path, {}, api)).status).toBe(200);
    expect((await real(path, {}, api)).status).toBe(201);
    const before = await writtenIn(bench.project);
    const preview = await dry(path, {}, api);
    expect([preview.status, preview.body.code]).toEqual([402, "budget_exceeded"]);
    expect(await writtenIn(bench.project)).toEqual(before);
    expect(seen(preview)).toEqual(seen(await real(path, {}, api)));
  });

  it("estimates by the cost of the job's last runs", async () => {
    const bench = await budgetBench(world, 150);
    const { id, path } = await bench.job();
    await runSql(
      world.connection,
      `insert into job_costs (project_id, job_id, recent, p95_microusd, updated_at)
       values ($1, $2, '{500}', 500, clock())`,
      [bench.project.id, id],
    );
    expect((await dry(path, {}, bench.project.api)).body.detail).toContain("expected to cost $0.0005");
  });

  it("is 409 for a key used with other content, in the body or in the header", async () => {
    const { path } = await makeJob(project);
    await real(path, { idempotency_key: "k", payload: 1 });
    const requested = { idempotency_key: "k", payload: 2 };
    const preview = await dry(path, requested);
    expect([preview.status, preview.body.code]).toEqual([409, "idempotency_conflict"]);
    expect(seen(preview)).toEqual(seen(await real(path, requested)));
    const headers = { "idempotency-key": "k" };
    const byHeader = await project.api.post(`${path}/trigger`, { dry_run: true }, { headers });
    expect(byHeader.status).toBe(409);
    expect((await dry(path, { ...requested, environment_id: "staging" })).body.status).toBe("pending");
  });

  it("returns the existing run of a key, like a repeated trigger, also when the budget is exhausted", async () => {
    const bench = await budgetBench(world, 100);
    const { path } = await bench.job();
    const { api } = bench.project;
    const requested = { idempotency_key: "k", payload: { a: 1 } };
    const first = await real(path, requested, api);
    await api.post(`/v1/runs/${first.body.id}/cancel`);
    const preview = await dry(path, requested, api);
    expect(preview.body).toMatchObject({ id: first.body.id, status: "canceled" });
    expect(seen(preview)).toEqual(seen(await real(path, requested, api)));
  });

  it("ignores an expired key, and does not use it up", async () => {
    const { path } = await makeJob(project);
    await real(path, { idempotency_key: "k", payload: 1 });
    await world.clock.pass("24h");
    const before = await writtenIn(project);
    expect((await dry(path, { idempotency_key: "k", payload: 2 })).body.status).toBe("pending");
    expect(await writtenIn(project)).toEqual(before);
  });

  it("returns the run with the same payload within a dedup window", async () => {
    const { path } = await makeJob(project, { dedup_window_secs: 60 });
    const first = await real(path, { payload: 1 });
    expect((await dry(path, { payload: 2 })).body.id).not.toBe(first.body.id);
    expect(seen(await dry(path, { payload: 1 }))).toEqual(seen(await real(path, { payload: 1 })));
  });

  it("returns the run that would be debounced, unchanged", async () => {
    const { path } = await makeJob(project, { debounce_window_secs: 60 });
    const first = await real(path, { payload: 1 });
    const before = await writtenIn(project);
    const preview = await dry(path, { payload: 2 });
    expect([preview.status, preview.body.id, preview.body.payload]).toEqual([200, first.body.id, 1]);
    expect(await writtenIn(project)).toEqual(before);
    expect((await dry(path, { payload: 2, concurrency_key: "other" })).body.id).not.toBe(first.body.id);
    await project.api.post(`/v1/runs/${first.body.id}/pause`);
    expect((await dry(path, { payload: 2 })).body.id).not.toBe(first.body.id);
  });

  it("returns a canceled run if a dependency has failed, with the reason that the trigger would give", async () => {
    const { path } = await makeJob(project);
    const [failed, completed, pending] = [await real(path), await real(path), await real(path)].map(
      (each) => each.body.id,
    );
    await endRun(world, failed, "failed");
    await endRun(world, completed);
    const requested = { depends_on_run_ids: [pending, completed, failed] };
    const before = await writtenIn(project);
    const preview = await dry(path, requested);
    expect(preview.status).toBe(200);
    expect(await writtenIn(project)).toEqual(before);
    const { body } = await real(path, requested);
    expect(body).toMatchObject({ status: "canceled", error: { code: "dependency_failed" } });
    expect(preview.body).toMatchObject({
      status: body.status,
      error: body.error,
      finished_at: preview.body.created_at,
    });
    expect((await dry(path, { depends_on_run_ids: [completed, pending] })).body).toMatchObject({
      status: "pending",
      error: null,
    });
  });
});
