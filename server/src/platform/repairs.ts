import type { Ctx } from "./context.ts";
import { sql } from "./database/sql.ts";

/** Counts what a reconciliation repaired: in the metrics of this instance, and for good if it repaired anything. */
export async function countRepairs(ctx: Ctx, repairs: Readonly<Record<string, number>>): Promise<void> {
  for (const [kind, count] of Object.entries(repairs)) ctx.metrics.repairs.inc({ kind }, count);
  const made = Object.entries(repairs).filter(([, count]) => count > 0);
  if (made.length === 0) return;
  const kinds = made.map(([kind]) => kind);
  const counts = made.map(([, count]) => count);
  await sql`
    insert into repairs (kind, count, repaired_at)
    select r.kind, r.count, clock() from unnest(${kinds}::text[], ${counts}::bigint[]) as r(kind, count)
    on conflict (kind) do update set count = repairs.count + excluded.count, repaired_at = excluded.repaired_at`.execute(
    ctx.db,
  );
}
