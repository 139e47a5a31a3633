import { beforeAll, describe, expect, it } from "vitest";
import { rollBack } from "../../../test/statements/roll-back.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { ProjectCtx } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { newId } from "../ids.ts";
import { queueDeliveries } from "./queue-deliveries.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function projectCtx(): Promise<ProjectCtx> {
  return { ...world.callerCtx(), project_id: (await world.project()).id };
}

const rowsOf = (table: string, project_id: string) =>
  runSql(world.connection, `select * from ${table} where project_id = $1 order by created_at`, [project_id]);

describe("a delivery", () => {
  const about = { url: "https://example.com/hook", event_type: "thing.happened", source_type: "thing", source_id: "7" };

  it("is queued with a final body, and is due at once", async () => {
    const ctx = await projectCtx();
    await world.clock.set("2030-01-01T00:00:00.000Z");
    const data = { text: "🦊", list: [1, 2] };
    const [id] = await inTransaction(ctx, (tx) =>
      queueDeliveries(tx, [{ project_id: ctx.project_id, ...about, data }]),
    );
    data.list.push(3);
    const [row] = await rowsOf("webhook_deliveries", ctx.project_id);
    const now = new Date("2030-01-01T00:00:00.000Z");
    expect(row).toMatchObject({
      ...about,
      id,
      status: "pending",
      prev_status: null,
      attempts: 0,
      next_attempt_at: now,
    });
    expect(JSON.parse(row?.body)).toEqual({
      type: "thing.happened",
      id,
      created_at: "2030-01-01T00:00:00.000Z",
      data: { text: "🦊", list: [1, 2] },
    });
  });

  it("is queued together with many others, each with its own body, environment and host, in order", async () => {
    const ctx = await projectCtx();
    const environment_id = newId();
    const many = Array.from({ length: 50 }, (_, nth) => ({
      ...about,
      project_id: ctx.project_id,
      ...(nth === 1 && { environment_id }),
      url: nth === 0 ? "no URL at all" : `https://hooks.example.com:${8_000 + nth}/in?nth=${nth}`,
      data: { nth },
    }));
    const ids = await inTransaction(ctx, (tx) => queueDeliveries(tx, many));
    const rows = await rowsOf("webhook_deliveries", ctx.project_id);
    const byId = new Map(rows.map((row) => [row.id, row]));
    expect(ids.map((id) => JSON.parse(byId.get(id)?.body).data.nth)).toEqual(many.map(({ data }) => data.nth));
    expect(ids.map((id) => JSON.parse(byId.get(id)?.body).id)).toEqual(ids);
    const encryptionContextOf = (nth: number) => byId.get(ids[nth] ?? "");
    expect(encryptionContextOf(0)).toMatchObject({ host: "", environment_id: null, url: "no URL at all" });
    expect(encryptionContextOf(1)).toMatchObject({ host: "hooks.example.com:8001", environment_id });
    expect(await inTransaction(ctx, (tx) => queueDeliveries(tx, []))).toEqual([]);
  });

  it("of a change that was rolled back is not sent", async () => {
    const ctx = await projectCtx();
    await rollBack(ctx, (tx) => queueDeliveries(tx, [{ project_id: ctx.project_id, ...about, data: {} }]));
    expect(await rowsOf("webhook_deliveries", ctx.project_id)).toEqual([]);
  });
});
