import type { BulkReplayRunsResult } from "@millrace/contract/runs/bulk-runs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { budgetBench } from "../../../../test/costs/budget-bench.ts";
import { type SeedRun, seedJob, seedRun } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
let job_id: string;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  project = await world.project();
  job_id = (await seedJob(world.connection, project.id)).id;
});

const seed = (run: SeedRun = {}) => seedRun(world.connection, project.id, { job_id, status: "failed", ...run });
const replayAll = (run_ids: string[]) => project.api.post("/v1/runs/bulk-replay", { run_ids });
const preview = (run_ids: string[]) => project.api.post("/v1/runs/bulk-replay", { run_ids, dry_run: true });

/** The outcome of each run, actual or previewed. */
const outcomesOf = ({ body }: { body: BulkReplayRunsResult }) =>
  body.results.map(({ replay_of, error }) => ({ replay_of, error }));

/** Everything that a replay writes. */
const writtenIn = (project_id: string) =>
  runSql(
    world.connection,
    `select (select count(*) from runs where project_id = $1) as runs,
       (select count(*) from batch_operations where project_id = $1) as batches,
       (select count(*) from audit_events where project_id = $1) as audits,
       (select sum(reserved_microusd) from project_budgets where project_id = $1) as reserved,
       (select count(*) from runs where project_id = $1 and dead_lettered_at is not null) as dead`,
    [project_id],
  );
const readRun = async (id: string) => (await project.api.get(`/v1/runs/${id}`)).body;

describe("POST /v1/runs/bulk-replay", () => {
  it("R10 creates a new run for each, with the batch id and links both ways", async () => {
    const [dead, done] = [
      await seed({ is_dead_letter: true, payload: { a: 1 }, tags: { t: "1" } }),
      await seed({ status: "completed", payload: { b: 2 } }),
    ];
    const { status, body } = await replayAll([dead, done]);
    expect(status).toBe(200);
    const [first, second] = body.results;
    expect(body.results).toEqual([
      { index: 0, run_id: expect.any(String), replay_of: dead, status: "created", error: null },
      { index: 1, run_id: expect.any(String), replay_of: done, status: "created", error: null },
    ]);
    expect(await readRun(first.run_id)).toMatchObject({
      status: "pending",
      payload: { a: 1 },
      tags: { t: "1" },
      replay_of: dead,
      batch_id: body.batch_id,
      trigger_type: "replay",
      created_by: "test key",
      created_by_id: project.key_id,
    });
    const left = { dead_lettered_at: null, replayed_at: expect.any(String) };
    expect(await readRun(dead)).toMatchObject({ status: "failed", ...left, replayed_by: first.run_id });
    expect(await readRun(done)).toMatchObject({ replayed_by: second.run_id, replayed_at: null });
    const listed = (await project.api.get(`/v1/runs?batch_id=${body.batch_id}`)).body.data;
    expect(listed).toHaveLength(2);
  });

  it("R10 a rejected run fails alone: not ended, already replayed, of a workflow, of another project, of a deleted or disabled job", async () => {
    const gone = await seedJob(world.connection, project.id);
    const disabled = await seedJob(world.connection, project.id);
    const strict = await seedJob(world.connection, project.id, { payload_schema: { type: "object", required: ["x"] } });
    const foreign = await seedRun(world.connection, (await world.project()).id, { status: "failed" });
    await runSql(world.connection, "update jobs set deleted_at = clock() where id = $1", [gone.id]);
    await runSql(world.connection, "update jobs set enabled = false, revision = revision + 1 where id = $1", [
      disabled.id,
    ]);
    const replayed = await seed({ is_dead_letter: true });
    await project.api.post(`/v1/runs/${replayed}/replay`);
    const good = await seed();
    const ids = [
      await seed({ status: "running" }),
      replayed,
      await seed({ workflow_run_id: newId() }),
      foreign,
      await seed({ job_id: gone.id }),
      await seed({ job_id: disabled.id }),
      await seed({ job_id: strict.id }),
      good,
    ];
    const before = await writtenIn(project.id);
    const previewed = await preview(ids);
    expect(previewed.body).toMatchObject({ dry_run: true, batch_id: null });
    expect(previewed.body.results[7]).toEqual({
      ...{ index: 7, run_id: null, replay_of: good, status: "would_create", error: null },
    });
    expect(await writtenIn(project.id)).toEqual(before);
    const { body } = await replayAll(ids);
    expect(outcomesOf(previewed)).toEqual(outcomesOf({ body }));
    expect(body.dry_run).toBe(false);
    expect(body.results.map(({ error }: { error: { code: string } | null }) => error?.code ?? null)).toEqual([
      "run_not_ended",
      "already_replayed",
      "belongs_to_workflow",
      "not_found",
      "job_deleted",
      "job_disabled",
      "payload_invalid",
      null,
    ]);
    const batch = (await project.api.get(`/v1/batch-operations/${body.batch_id}`)).body;
    expect(batch).toMatchObject({ kind: "replay", status: "completed", total: 8, succeeded: 1, failed: 7 });
    const items = (await project.api.get(`/v1/batch-operations/${body.batch_id}/items?status=succeeded`)).body.data;
    expect(items).toEqual([
      expect.objectContaining({ index: 7, target_id: good, detail: { replayed_as: body.results[7].run_id } }),
    ]);
  });

  it("R10 a dry run counts what each run would reserve from the budget, and reserves nothing", async () => {
    const bench = await budgetBench(world, 250);
    project = bench.project;
    job_id = (await bench.job()).id;
    const ids = [await seed(), await seed(), await seed(), await seed()];
    const before = await writtenIn(project.id);
    const previewed = await preview(ids);
    const codes = outcomesOf(previewed).map(({ error }) => error?.code ?? null);
    expect(codes).toEqual([null, null, "budget_exceeded", "budget_exceeded"]);
    expect(await writtenIn(project.id)).toEqual(before);
    expect(outcomesOf(previewed)).toEqual(outcomesOf(await replayAll(ids)));
  });

  it("R10 concurrent calls with the same dead letters replay each once", async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => seed({ is_dead_letter: true })));
    const responses = await Promise.all(Array.from({ length: 4 }, () => replayAll(ids)));
    const created = responses.flatMap(({ body }) => body.results).filter(({ status }) => status === "created");
    expect(created.map(({ replay_of }) => replay_of).toSorted()).toEqual(ids.toSorted());
    const [{ count } = { count: 0 }] = await runSql<{ count: number }>(
      world.connection,
      "select count(*)::int as count from runs where project_id = $1 and replay_of is not null",
      [project.id],
    );
    expect(count).toBe(10);
  });

  it("R10 uses one version of the job for each replay while the job is being updated", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => seed({ is_dead_letter: true })));
    let isOver = false;
    const changer = (async () => {
      for (let n = 0; !isOver; n++) await project.api.patch(`/v1/jobs/${job_id}`, { timeout_secs: 100 + (n % 50) });
    })();
    const { body } = await replayAll(ids);
    isOver = true;
    await changer;
    const outcomes = new Set(
      body.results.map(
        ({ status, error }: { status: string; error: { code: string } | null }) => error?.code ?? status,
      ),
    );
    expect([...outcomes].filter((each) => each !== "created" && each !== "conflict")).toEqual([]);
    const dead = (await project.api.get("/v1/runs?dead_letter=true")).body.data.length;
    expect(dead).toBe(body.results.filter(({ status }: { status: string }) => status === "failed").length);
  });

  it("R10 is counted and audited once", async () => {
    const counter = async (name: string) =>
      (await world.ctx.metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0;
    const names = ["svc_bulk_operations_total", "svc_bulk_items_processed_total"];
    const before = await Promise.all(names.map(counter));
    const ids = [await seed(), await seed({ status: "pending" })];
    const { body } = await replayAll(ids);
    const after = await Promise.all(names.map(counter));
    expect(after.map((value, nth) => value - (before[nth] ?? 0))).toEqual([1, 2]);
    const audited = await runSql(world.connection, "select action, after from audit_events where resource_id = $1", [
      body.batch_id,
    ]);
    expect(audited).toEqual([{ action: "run.bulk_replayed", after: { run_ids: ids, created: 1 } }]);
  });

  it("R10 422 for no ids, for more than 100 and for duplicate ids", async () => {
    const id = await seed();
    for (const run_ids of [[], Array.from({ length: 101 }, () => newId()), [id, id]]) {
      const response = await replayAll(run_ids);
      expect([response.status, response.body.errors[0].location]).toEqual([422, "body.run_ids"]);
    }
  });
});
