import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { type Sql, sql } from "../database/sql.ts";
import { newId } from "../ids.ts";
import { consumeChanges } from "./consume-changes.ts";
import { hasNewChanges } from "./has-new-changes.ts";
import { sequenceChanges } from "./sequence-changes.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function write(): Promise<void> {
  await runSql(
    world.connection,
    `insert into changelog_inbox (project_id, kind, ids, created_at)
     values ($1::uuid, 'batch_operation', array[$1::uuid], clock())`,
    [newId()],
  );
}

/** A separate consumer that has reached the end of the log. */
async function consumer() {
  const name = `test-${newId()}`;
  const pass = () => consumeChanges(world.ctx, { ...{ name, max: 100_000 }, take: async () => {} });
  await pass();
  return { pass, hasNew: () => holds(hasNewChanges(name)) };
}

async function holds(condition: Sql): Promise<boolean | undefined> {
  const { rows } = await sql<{ holds: boolean }>`select ${condition} as holds`.execute(world.ctx.db);
  return rows[0]?.holds;
}

describe("a consumer", () => {
  it("has new changes until its cursor exists", async () => {
    expect(await holds(hasNewChanges(`test-${newId()}`))).toBe(true);
  });

  it("has none while the log is idle", async () => {
    await write();
    expect(await (await consumer()).hasNew()).toBe(false);
  });

  it("has some after the next change, sequenced or not, until its next pass", async () => {
    const { pass, hasNew } = await consumer();
    await write();
    expect(await hasNew()).toBe(true);
    await sequenceChanges(world.ctx);
    expect(await hasNew()).toBe(true);
    await pass();
    expect(await hasNew()).toBe(false);
  });
});
