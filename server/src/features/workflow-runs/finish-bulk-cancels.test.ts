import { beforeAll, describe, expect, it } from "vitest";
import { seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { actorOf } from "../../platform/actor.ts";
import { trackBatch } from "../../platform/batches/track-batch.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { cancelItem } from "./bulk-cancel.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** A bulk cancel of three runs whose instance crashed after the first. */
async function cutShort() {
  const project = await world.project();
  const ids = [];
  for (let nth = 0; nth < 3; nth++) ids.push(await seedWorkflowRun(world.connection, project.id));
  const { id: project_id, key_id } = project;
  const bounds = { project_id, environment_id: null, org_id: null, scopes: [] };
  const caller = { kind: "api_key", key_id, name: "test key", ...bounds } as const;
  const ctx: ProjectCtx = { ...world.callerCtx(), project_id, caller };
  const request = { workflow_run_ids: ids, reason: "closing" };
  const batch_id = await inTransaction(ctx, (tx) =>
    trackBatch(tx, { kind: "cancel_workflow_runs", total: 3, request }),
  );
  await cancelItem(ctx, { batch_id, reason: "closing", by: actorOf(caller) }, 0, ids[0] ?? "");
  const statuses = async () =>
    (
      await runSql<{ status: string }>(
        world.connection,
        "select status from workflow_runs where project_id = $1 order by id",
        [project.id],
      )
    ).map((row) => row.status);
  return { project, batch_id, statuses, ids };
}

describe("the task finish-bulk-cancels", () => {
  it("W13 R11 finishes a bulk cancel interrupted by a crash, and processes no item twice", async () => {
    const { project, batch_id, statuses } = await cutShort();
    await world.tick("finish-bulk-cancels");
    expect(await statuses()).toEqual(["canceled", "running", "running"]);
    await world.clock.pass("61s");
    while (await world.tick("finish-bulk-cancels"));
    expect(await statuses()).toEqual(["canceled", "canceled", "canceled"]);
    const { body } = await project.api.get(`/v1/batch-operations/${batch_id}`);
    expect(body).toMatchObject({ status: "completed", processed: 3, succeeded: 3, created_by_id: project.key_id });
    const { data } = (await project.api.get("/v1/workflow-runs")).body;
    const error = { code: "canceled", message: "closing", by_id: project.key_id };
    expect(data.map((run: { error: object }) => run.error)).toEqual([error, error, error]);
  });

  it("counts each item once in the metrics, also those that were canceled before the crash", async () => {
    const processed = async () => {
      const text = await world.ctx.metrics.registry.metrics();
      return Number(/^svc_bulk_items_processed_total (\d+)/m.exec(text)?.[1] ?? 0);
    };
    const before = await processed();
    await cutShort();
    expect(await processed()).toBe(before + 1);
    await world.clock.pass("61s");
    while (await world.tick("finish-bulk-cancels"));
    expect(await processed()).toBe(before + 3);
  });

  it("R11 counts a batch's failure against it, and continues with others", async () => {
    const [broken, other] = [await cutShort(), await cutShort()];
    await runSql(world.connection, `update batch_operations set request = '{}' where id = $1`, [broken.batch_id]);
    await world.clock.pass("61s");
    expect(await world.tick("finish-bulk-cancels")).toBe(false);
    const [row] = await runSql(
      world.connection,
      "select status, failures, lease_token from batch_operations where id = $1",
      [broken.batch_id],
    );
    expect(row).toEqual({ status: "running", failures: 1, lease_token: null });
    while (await world.tick("finish-bulk-cancels"));
    expect(await other.statuses()).toEqual(["canceled", "canceled", "canceled"]);
  });

  it("R11 skips a canceled batch", async () => {
    const { project, batch_id, statuses, ids } = await cutShort();
    expect((await project.api.post(`/v1/batch-operations/${batch_id}/cancel`)).status).toBe(200);
    await world.clock.pass("61s");
    while (await world.tick("finish-bulk-cancels"));
    expect(await statuses()).toEqual(["canceled", "running", "running"]);
    const ctx: ProjectCtx = { ...world.callerCtx(), project_id: project.id };
    const batch = { batch_id, reason: null, by: actorOf(ctx.caller) };
    expect(await cancelItem(ctx, batch, 1, ids[1] ?? "")).toMatchObject({ status: "failed" });
    expect(await statuses()).toEqual(["canceled", "running", "running"]);
  });
});
