import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { ProjectCtx } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { newId } from "../ids.ts";
import { advanceBatch, type BatchItem } from "./advance-batch.ts";
import { trackBatch } from "./track-batch.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function aBatch(total: number) {
  const ctx: ProjectCtx = { ...world.callerCtx(), project_id: (await world.project()).id };
  const batch_id = await inTransaction(ctx, (tx) => trackBatch(tx, { kind: "cancel", total, request: { ids: [1] } }));
  const key = { project_id: ctx.project_id, batch_id };
  return {
    ctx,
    key,
    advance: (items: BatchItem[]) => inTransaction(ctx, (tx) => advanceBatch(tx, key, items)),
    row: async () => (await runSql(world.connection, "select * from batch_operations where id = $1", [batch_id]))[0],
    items: () =>
      runSql(world.connection, "select * from batch_items where batch_id = $1 order by item_index", [batch_id]),
  };
}

const item = (item_index: number, status: BatchItem["status"] = "succeeded"): BatchItem => ({
  item_index,
  target_id: newId(),
  status,
});

describe("a batch operation", () => {
  it("records items of every kind side by side", async () => {
    const { advance, items, row } = await aBatch(3);
    const odd = { item_index: 1, target_id: 'a,"b}', status: "failed" as const, error: "no", error_code: "x" };
    await advance([item(0), odd, { item_index: 2, target_id: null, status: "succeeded", detail: { a: 1 } }]);
    expect((await items()).map(({ target_id, status, error, detail }) => [target_id, status, error, detail])).toEqual([
      [expect.any(String), "succeeded", null, null],
      ['a,"b}', "failed", "no", null],
      [null, "succeeded", null, { a: 1 }],
    ]);
    expect(await row()).toMatchObject({ status: "completed", succeeded: 2, failed: 1 });
  });

  it("R11 starts as running, with all counters at zero", async () => {
    const { row } = await aBatch(3);
    expect(await row()).toMatchObject({
      kind: "cancel",
      status: "running",
      prev_status: null,
      request: { ids: [1] },
      total: 3,
      processed: 0,
      created_by: "test",
      finished_at: null,
    });
  });

  it("R11 counts each outcome, and closes with the last item", async () => {
    const { advance, row, items } = await aBatch(4);
    expect(await advance([item(0), { ...item(1, "failed"), error: "too late", detail: { a: 1 } }])).toBe(2);
    expect(await row()).toMatchObject({ status: "running", processed: 2, succeeded: 1, failed: 1, finished_at: null });
    expect(await advance([item(2, "skipped"), item(3)])).toBe(2);
    expect(await row()).toMatchObject({
      status: "completed",
      prev_status: "running",
      processed: 4,
      succeeded: 2,
      failed: 1,
      skipped: 1,
      finished_at: expect.any(Date),
    });
    expect((await items())[1]).toMatchObject({ status: "failed", error: "too late", detail: { a: 1 } });
  });

  it("R11 counts an item once, however often it is recorded, and keeps its first outcome", async () => {
    const { advance, row, items } = await aBatch(3);
    expect(await advance([item(0), item(0, "failed")])).toBe(1);
    expect(await advance([item(0, "failed"), item(1)])).toBe(1);
    expect(await row()).toMatchObject({ status: "running", processed: 2, succeeded: 2, failed: 0 });
    expect((await items()).map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  });

  it("R11 never counts twice when ten callers record the same hundred items concurrently, in parts", async () => {
    const { advance, row, items } = await aBatch(100);
    const worker = async () => {
      let noted = 0;
      for (let start = 0; start < 100; start += 25) {
        noted += await advance(Array.from({ length: 25 }, (_, index) => item(start + index)));
      }
      return noted;
    };
    const noted = await Promise.all(Array.from({ length: 10 }, worker));
    expect(noted.reduce((sum, each) => sum + each, 0)).toBe(100);
    expect(await row()).toMatchObject({ status: "completed", processed: 100, succeeded: 100 });
    expect(await items()).toHaveLength(100);
  });

  it("ignores items recorded after its end", async () => {
    const { advance, row, items, key } = await aBatch(2);
    await advance([item(0)]);
    await runSql(
      world.connection,
      "update batch_operations set prev_status = status, status = 'canceled', finished_at = clock() where id = $1",
      [key.batch_id],
    );
    expect(await advance([item(1)])).toBe(0);
    expect(await row()).toMatchObject({ status: "canceled", processed: 1 });
    expect(await items()).toHaveLength(1);
  });

  it("ignores items recorded from another project, and items that were rolled back", async () => {
    const { ctx, row, key } = await aBatch(2);
    const other = await world.project();
    const foreign = { ...key, project_id: other.id };
    expect(await inTransaction(ctx, (tx) => advanceBatch(tx, foreign, [item(0)]))).toBe(0);
    const undone = inTransaction(ctx, async (tx) => {
      await advanceBatch(tx, key, [item(0)]);
      throw new Error("undo");
    });
    await expect(undone).rejects.toThrow("undo");
    expect(await row()).toMatchObject({ processed: 0 });
  });

  it("without items is closed by an empty record", async () => {
    const { advance, row } = await aBatch(0);
    expect(await advance([])).toBe(0);
    expect(await row()).toMatchObject({ status: "completed", processed: 0 });
  });

  it("cannot count more items than it has", async () => {
    const { advance, row } = await aBatch(1);
    await expect(advance([item(0), item(1)])).rejects.toThrow(/check/);
    expect(await row()).toMatchObject({ status: "running", processed: 0 });
  });
});
