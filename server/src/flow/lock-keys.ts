import type { Ctx, InTransaction } from "../platform/context.ts";
import { sql } from "../platform/database/sql.ts";

/** Takes an advisory lock on each name until the transaction ends; in order, to avoid deadlocks. */
export async function lockKeys(tx: Ctx & InTransaction, keys: readonly string[]): Promise<void> {
  await sql`
    /* prepared */
    select pg_advisory_xact_lock(h) from (
      select distinct hashtextextended(k, 0) as h from unnest(${[...keys]}::text[]) as k order by h
    ) as ordered`.execute(tx.db);
}
