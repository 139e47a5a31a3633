import { sql } from "kysely";
import type { Ctx } from "../context.ts";

/** The newest of the log, by its order, tells. */
export async function doRunsMove({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql<{ is_young: boolean }>`
    select t.created_at > clock() - interval '2 seconds' as is_young
    from run_transitions t order by t.xid desc limit 1`.execute(db);
  return rows[0]?.is_young ?? false;
}
