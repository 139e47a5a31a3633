import { beforeAll, describe, expect, it } from "vitest";
import { type SeedRun, seedJob, seedRun, seedRuns } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
let job_id: string;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  job_id = (await seedJob(world.connection, project.id)).id;
});

const seed = (run: SeedRun) => seedRun(world.connection, project.id, { job_id, ...run });
const cancel = (id: string, body?: object) => project.api.post(`/v1/runs/${id}/cancel`, body);
const readRun = async (id: string) => (await project.api.get(`/v1/runs/${id}`)).body;

async function statusesOf(ids: string[]): Promise<string[]> {
  const rows = await runSql<{ id: string; status: string }>(
    world.connection,
    "select id, status from runs where id = any($1::uuid[])",
    [ids],
  );
  const byId = new Map(rows.map((row) => [row.id, row.status]));
  return ids.map((id) => byId.get(id) ?? "absent");
}

async function counted(name: string, labels: Record<string, string> = {}): Promise<number> {
  const metric = await world.ctx.metrics.registry.getSingleMetric(name)?.get();
  const values = metric?.values ?? [];
  const found = values.find((value) =>
    Object.entries(labels).every(([label, wanted]) => value.labels[label as keyof typeof value.labels] === wanted),
  );
  return found?.value ?? 0;
}

describe("POST /v1/runs/{runID}/cancel", () => {
  it("ends the run at once with the reason, and leaves nothing in the queue", async () => {
    const id = await seed({ status: "running", slots: [] });
    const { status, body } = await cancel(id, { reason: "wrong customer" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      status: "canceled",
      error: { code: "canceled", message: "wrong customer" },
      finished_at: expect.stringMatching(/Z$/),
      dead_lettered_at: null,
    });
    const rows = await runSql(world.connection, "select 1 from run_queue where run_id = $1", [id]);
    expect(rows).toEqual([]);
    const [move] = (await project.api.get(`/v1/runs/${id}/transitions?order=desc`)).body.data;
    expect(move).toMatchObject({ from_status: "running", to_status: "canceled", cause: "canceled", ordinal: 3 });
  });

  it("names the caller as the reason if none is given, and is audited with the reason", async () => {
    const [silent, explained] = [await seed({}), await seed({})];
    expect((await cancel(silent)).body.error).toEqual({
      ...{ code: "canceled", message: "Canceled by test key.", by_id: project.key_id },
    });
    await cancel(explained, { reason: "because" });
    const [event] = await runSql(world.connection, "select * from audit_events where resource_id = $1", [explained]);
    expect(event).toMatchObject({
      action: "run.canceled",
      resource_type: "run",
      actor_id: project.key_id,
      before: { status: "pending" },
      after: { status: "canceled", reason: "because" },
    });
  });

  it.each([
    [{ reason: "" }, "body.reason"],
    [{ reason: "x".repeat(501) }, "body.reason"],
    [{ why: "typo" }, "body.why"],
  ])("422 for %j, with its location", async (body, location) => {
    const response = await cancel(await seed({}), body);
    expect([response.status, response.body.errors[0].location]).toEqual([422, location]);
  });

  it("409 for an ended run, naming its status", async () => {
    const response = await cancel(await seed({ status: "timed_out" }));
    expect([response.status, response.body.code, response.body.errors[0].value]).toEqual([
      409,
      "run_already_ended",
      "timed_out",
    ]);
    expect((await cancel(newId())).status).toBe(404);
  });

  it("is counted as a transition and published to the run's dispatcher", async () => {
    const id = await seed({ status: "running" });
    const received: unknown[] = [];
    const unsubscribe = world.ctx.wakeup.onWake("run-ended", (detail) => received.push(detail));
    const labels = { from_status: "running", to_status: "canceled" };
    const before = await counted("svc_run_transitions_total", labels);
    await cancel(id);
    unsubscribe();
    expect(received).toEqual([id]);
    expect(await counted("svc_run_transitions_total", labels)).toBe(before + 1);
  });

  it("concurrent cancels cancel it once, and all return the run", async () => {
    for (let round = 0; round < sizeOf(2, 20); round++) {
      const id = await seed({ status: "running" });
      const responses = await Promise.all(Array.from({ length: 6 }, () => cancel(id)));
      expect(responses.map((response) => [response.status, response.body.status])).toEqual(
        Array(6).fill([200, "canceled"]),
      );
      expect((await project.api.get(`/v1/runs/${id}/transitions`)).body.data).toHaveLength(3);
    }
  });
});

describe("R15 canceling a run cascades to its children", () => {
  it("R15 over three levels, in every live status, past a child that has ended, and to no other run", async () => {
    const root = await seed({ status: "running" });
    const child = await seed({ status: "waiting", parent_run_id: root });
    const ended = await seed({ status: "completed", parent_run_id: root });
    const grandchild = await seed({ status: "pending", parent_run_id: child });
    const below = await seed({ status: "paused", parent_run_id: grandchild });
    const belowEnded = await seed({ status: "running", parent_run_id: ended });
    const [unrelated, parent] = [await seed({ status: "running" }), await seed({ status: "running" })];
    const before = await counted("svc_bulk_child_cancellations_total");

    await cancel(root, { reason: "enough" });
    expect(await statusesOf([root, child, grandchild, below, belowEnded])).toEqual(Array(5).fill("canceled"));
    expect(await statusesOf([ended, unrelated, parent])).toEqual(["completed", "running", "running"]);
    expect(await counted("svc_bulk_child_cancellations_total")).toBe(before + 4);
    expect((await readRun(below)).error).toEqual({ code: "parent_canceled", message: expect.stringContaining(root) });
    for (const id of [child, grandchild, below, belowEnded]) {
      const [move] = (await project.api.get(`/v1/runs/${id}/transitions?order=desc`)).body.data;
      expect(move).toMatchObject({ to_status: "canceled", cause: "parent_canceled" });
    }
  });

  it("R15 canceling a run in the middle cancels its descendants, but not its parent or siblings", async () => {
    const root = await seed({ status: "running" });
    const [middle, sibling] = [await seed({ parent_run_id: root }), await seed({ parent_run_id: root })];
    const below = await seed({ parent_run_id: middle });
    await cancel(middle);
    expect(await statusesOf([root, middle, sibling, below])).toEqual(["running", "canceled", "pending", "canceled"]);
  });

  it("R15 to 600 children, in pages, with one audit event", async () => {
    const root = await seed({ status: "running" });
    const children = await seedRuns(
      world.connection,
      project.id,
      Array.from(
        { length: 600 },
        (_, n): SeedRun => ({ job_id, parent_run_id: root, status: n % 3 ? "pending" : "running" }),
      ),
    );
    const before = await counted("svc_bulk_child_cancellations_total");
    expect((await cancel(root)).status).toBe(200);
    expect(new Set(await statusesOf(children))).toEqual(new Set(["canceled"]));
    const [left] = await runSql(
      world.connection,
      `select (select count(*)::int from run_queue where run_id = any($1::uuid[])) as queued,
         (select count(*)::int from run_history where run_id = any($1::uuid[]) and cause = 'parent_canceled') as moved,
         (select count(*)::int from audit_events where resource_id = any($2::text[])) as audited`,
      [children, [root, ...children]],
    );
    expect(left).toEqual({ queued: 0, moved: 600, audited: 1 });
    expect(await counted("svc_bulk_child_cancellations_total")).toBe(before + 600);
  });

  it("R15 completes an interrupted cascade when the cancel is repeated", async () => {
    const root = await seed({ status: "canceled" });
    const [child, below] = [await seed({ parent_run_id: root }), newId()];
    await seed({ id: below, status: "running", parent_run_id: child });
    expect((await cancel(root)).status).toBe(200);
    expect(await statusesOf([child, below])).toEqual(["canceled", "canceled"]);
    const completed = await seed({ status: "completed" });
    const orphan = await seed({ parent_run_id: completed });
    expect((await cancel(completed)).status).toBe(409);
    expect(await statusesOf([orphan])).toEqual(["pending"]);
  });

  it("R15 includes every child that is spawned meanwhile", async () => {
    for (let round = 0; round < sizeOf(3, 30); round++) {
      const root = await seed({ status: "running" });
      const child = await seed({ status: "running", parent_run_id: root });
      let isOver = false;
      const spawner = async (parent: string) => {
        while (!isOver) if (!(await spawn(parent))) return;
      };
      const spawners = [spawner(root), spawner(child), spawner(child)];
      const response = await cancel(root);
      isOver = true;
      await Promise.all(spawners);
      expect(response.status).toBe(200);
      const live = await runSql(
        world.connection,
        "select id from runs where parent_run_id = any($1::uuid[]) and finished_at is null",
        [[root, child]],
      );
      expect(live).toEqual([]);
    }
  });

  /** Spawns like a run: with its parent's row locked, and only while the parent is running. */
  async function spawn(parent: string): Promise<boolean> {
    const rows = await runSql(
      world.connection,
      `with parent as materialized (
         select q.run_id from run_queue q where q.project_id = $1 and q.run_id = $3 for update
       ),
       held as materialized (
         select r.* from runs r join parent p on r.project_id = $1 and r.id = p.run_id
         where r.status = 'running' for no key update of r
       ),
       queued as (
         insert into run_queue (project_id, run_id, job_id, host, rank_at, run_at, timeout_secs, heartbeat_timeout_secs)
         select $1, $2, job_id, 'h', clock(), clock(), 1, 1 from held
       )
       insert into runs (project_id, id, job_id, job_version_id, environment_id, status, max_attempts, timeout_secs,
         payload, created_by, trigger_type, parent_run_id, scheduled_at, created_at, updated_at)
       select $1, $2, job_id, job_version_id, environment_id, 'pending', 1, 1, '{}', '', 'spawn', id, clock(), clock(),
         clock() from held
       returning id`,
      [project.id, newId(), parent],
    );
    return rows.length > 0;
  }
});
