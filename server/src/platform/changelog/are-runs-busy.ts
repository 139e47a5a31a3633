import type { Ctx } from "../context.ts";
import { sql } from "../database/sql.ts";

/** From this many changes in two seconds, background work yields to runs; below, there is capacity for both. */
const MANY_CHANGES = 200;

/** How many of the newest changelog rows are read to decide this. */
const LAST = 1_000;

/** Whether the end of the changelog has that many changes of runs from the last two seconds. */
export async function areRunsBusy({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql<{ is_busy: boolean }>`
    /* prepared */
    select coalesce(sum(cardinality(c.ids)), 0) >= ${sql.lit(MANY_CHANGES)} as is_busy from (
      select c.kind, c.ids, c.created_at from changelog c order by c.position desc limit ${sql.lit(LAST)}
    ) c
    where c.kind = 'run' and c.created_at > clock() - interval '2 seconds'`.execute(db);
  return rows[0]?.is_busy ?? false;
}
