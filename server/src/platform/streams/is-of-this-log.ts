import type { Ctx } from "../context.ts";
import { sql } from "../database/sql.ts";
import type { StreamPosition } from "./stream-position.ts";

/** The clocks of the service and of the database differ by less than this. */
const SKEW_MS = 1_000;

/**
 * After a restore, or once a standby that lagged behind was promoted, positions beyond the end of that log are assigned
 * again, to other changes. So the log must reach the position, and the row there must contain the change that was sent
 * or, if the position names none, be no newer than it. A row that was removed is older than any position that is in use.
 */
export async function isOfThisLog({ db }: Ctx, { position, ms, inside }: StreamPosition): Promise<boolean> {
  const isSame = inside
    ? sql`${inside.id}::uuid = any(c.ids || coalesce(c.row_ids, '{}'))`
    : sql`c.created_at <= to_timestamp(${(ms + SKEW_MS) / 1_000}::float8)`;
  const { rows } = await sql<{ is_same: boolean }>`
    select h.position >= ${position} and coalesce((select ${isSame} from changelog c where c.position = ${position}), true)
      as is_same
    from changelog_head h`.execute(db);
  return rows[0]?.is_same === true;
}
