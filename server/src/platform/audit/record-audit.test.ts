import { beforeAll, describe, expect, it } from "vitest";
import { rollBack } from "../../../test/statements/roll-back.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { ProjectCtx } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { newId } from "../ids.ts";
import { recordAudit } from "./record-audit.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function projectCtx(): Promise<ProjectCtx> {
  return { ...world.callerCtx(), project_id: (await world.project()).id };
}

const rowsOf = (table: string, project_id: string) =>
  runSql(world.connection, `select * from ${table} where project_id = $1 order by created_at`, [project_id]);

describe("the audit log", () => {
  const entry = {
    action: "thing.changed",
    resource_type: "thing",
    resource_id: "7",
    before: { a: 1 },
    after: { a: 2 },
  };
  const things = async (project_id: string) =>
    (await rowsOf("audit_events", project_id)).filter(({ action }) => action === "thing.changed");

  it("A12 records who, what, before, after, from where and by which request, together with the change", async () => {
    const ctx = await projectCtx();
    await inTransaction(ctx, (tx) => recordAudit(tx, entry));
    expect(await things(ctx.project_id)).toEqual([
      {
        ...entry,
        project_id: ctx.project_id,
        id: expect.any(String),
        actor_kind: "internal_secret",
        actor_id: null,
        actor_name: "test",
        ip: "127.0.0.1",
        user_agent: "test",
        request_id: ctx.origin.request_id,
        created_at: expect.any(Date),
        chain_no: null,
        hash: null,
      },
    ]);
  });

  it("A12 records nothing for a change that was rolled back", async () => {
    const ctx = await projectCtx();
    await rollBack(ctx, (tx) => recordAudit(tx, entry));
    expect(await things(ctx.project_id)).toEqual([]);
  });

  it("names the key that acted", async () => {
    const ctx = await projectCtx();
    const key_id = newId();
    const caller = {
      kind: "api_key",
      key_id,
      name: "CI",
      project_id: "",
      environment_id: null,
      org_id: null,
      scopes: null,
    };
    await inTransaction({ ...ctx, caller } as ProjectCtx, (tx) => recordAudit(tx, entry));
    expect((await things(ctx.project_id))[0]).toMatchObject({
      actor_kind: "api_key",
      actor_id: key_id,
      actor_name: "CI",
    });
  });
});
