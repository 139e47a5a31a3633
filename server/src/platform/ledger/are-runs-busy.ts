import { sql } from "kysely";
import type { Ctx } from "../context.ts";

/** A few runs a second leave all the time that there is: only many of them are to be given way. */
const MANY_MOVES = 200;

/** Whether so many runs moved in the last two seconds. The newest of the log, by its order, tell. */
export async function areRunsBusy({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql<{ is_young: boolean }>`
    /* prepared */
    select t.created_at > clock() - interval '2 seconds' as is_young
    from run_transitions t order by t.xid desc offset ${sql.lit(MANY_MOVES - 1)} limit 1`.execute(db);
  return rows[0]?.is_young ?? false;
}
