import { sql } from "kysely";
import type { Ctx } from "../context.ts";

/** Below this rate there is time to spare: background work yields only to many runs. */
const MANY_MOVES = 200;

/** Whether that many runs changed in the last two seconds, by the newest rows of the log. */
export async function areRunsBusy({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql<{ is_young: boolean }>`
    /* prepared */
    select t.created_at > clock() - interval '2 seconds' as is_young
    from run_transitions t order by t.xid desc offset ${sql.lit(MANY_MOVES - 1)} limit 1`.execute(db);
  return rows[0]?.is_young ?? false;
}
