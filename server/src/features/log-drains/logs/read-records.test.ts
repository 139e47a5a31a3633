import { beforeAll, describe, expect, it } from "vitest";
import { seedLogs } from "../../../../test/seed/seed-logs.ts";
import { seedRun } from "../../../../test/seed/seed-run.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import type { ClaimedDrain } from "../claim-drains.ts";
import { readRecords } from "./read-records.ts";

const LINES = 3_000;

let world: World;
let project_id: string;
beforeAll(async () => {
  world = await makeWorld();
  project_id = (await world.project()).id;
  const run_id = await seedRun(world.connection, project_id, { status: "running" });
  await seedLogs(world.connection, LINES - 1, { project_id, run_id });
  await seedLogs(world.connection, 1, { project_id, run_id, level: "error" });
});

/** The records, and how many rows of `run_logs` were read for them. */
function read(min_level: string) {
  const start = { position: 0, after_id: "00000000-0000-0000-0000-000000000000" };
  const drain = { ...{ project_id, min_level, job_ids: null, environment_id: null }, ...start } as ClaimedDrain;
  return inTransaction(world.ctx, async (tx) => {
    const before = await linesRead(tx);
    const { records } = await readRecords(tx, drain);
    return { records: records.length, lines: (await linesRead(tx)) - before };
  });
}

/** On this connection, since its last report to the statistics. */
async function linesRead({ db }: Ctx & InTransaction): Promise<number> {
  const { rows } = await sql<{ lines: number }>`
    select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::int as lines from pg_stat_xact_user_tables
    where relname like 'run_logs%'`.execute(db);
  return rows[0]?.lines ?? 0;
}

describe("the lines that are read for a drain", () => {
  it("are as many as it sends, and those of one more row of the changelog, if it wants all of them", async () => {
    const { records, lines } = await read("debug");
    expect(records).toBe(1_000);
    expect(lines).toBeLessThanOrEqual(1_100);
  });

  it("are more than it sends, if few match", async () => {
    const { records, lines } = await read("error");
    expect(records).toBe(1);
    expect(lines).toBeGreaterThan(LINES);
  });
});
