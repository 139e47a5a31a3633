import type { Ctx, InTransaction } from "../../../src/platform/context.ts";
import { runSql } from "../../world/database.ts";
import { makeWorld, type World } from "../../world/world.ts";

/**
 * A world with the product's own clock, which the planner inlines; it cannot inline that of other tests. The database
 * is dropped with the file, so the next file plans with empty tables again.
 */
export async function makePlanWorld(): Promise<World> {
  const world = await makeWorld();
  await runSql(world.connection, PRODUCT_CLOCK);
  return world;
}

/** As in 0001_clock_and_service.sql. */
const PRODUCT_CLOCK = `
  create or replace function clock() returns timestamptz language sql stable parallel safe cost 100
  as 'select statement_timestamp()'`;

/** For functions that need a transaction: the statement is explained, and nothing is committed. */
export function within(ctx: Ctx): Ctx & InTransaction {
  const ignored = { in_transaction: true, afterCommit: () => {}, afterRollback: () => {} };
  return { ...ctx, ...ignored } as unknown as Ctx & InTransaction;
}
