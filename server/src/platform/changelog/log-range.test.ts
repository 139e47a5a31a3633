import { describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld } from "../../../test/world/world.ts";
import { sql } from "../database/sql.ts";
import { newId } from "../ids.ts";
import { unread } from "./log-range.ts";
import { positionNow } from "./sequence-changes.ts";

describe("what a consumer has not read", () => {
  it("is read from where the sequencer scans: a kept snapshot leaves many old rows before that", async () => {
    const world = await makeWorld();
    const position = await positionNow(world.ctx);
    const count = async () => (await sql`select 1 from ${unread("run", position)}`.execute(world.ctx.db)).rows.length;
    await runSql(
      world.connection,
      `insert into changelog_inbox (project_id, kind, ids, ordinals, created_at)
       select $1::uuid, 'run', array[$1::uuid], array[n], clock() from generate_series(1, 3) n`,
      [newId()],
    );
    expect(await count()).toBe(3);
    await runSql(world.connection, "update changelog_head set scan_after = (select max(id) - 1 from changelog_inbox)");
    expect(await count()).toBe(1);
  });
});
