import { sql } from "kysely";
import type { Ctx } from "../context.ts";

/** Transitions in two seconds from which on background work yields to runs; below that there is capacity for both. */
const MANY_MOVES = 200;

/** Whether the log has that many transitions of the last two seconds. */
export async function areRunsBusy({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql<{ is_young: boolean }>`
    /* prepared */
    select t.created_at > clock() - interval '2 seconds' as is_young
    from run_transitions t order by t.xid desc offset ${sql.lit(MANY_MOVES - 1)} limit 1`.execute(db);
  return rows[0]?.is_young ?? false;
}
