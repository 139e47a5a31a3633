import { sql } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";
import type { Effect } from "./record-effects.ts";

/** The oldest effects still to be done, over all projects, read without a lock: whoever acts does so with guards. */
export async function listEffects(ctx: Ctx, most: number): Promise<Effect[]> {
  const { rows } = await sql<Effect>`
    select project_id, transition_id, kind, target_id, detail
    from effects order by created_at limit ${most}`.execute(ctx.db);
  return rows;
}

/** Strikes an effect off, last in the transaction that did it. False: somebody else has done it. */
export async function strikeEffect(ctx: Ctx & InTransaction, effect: Effect): Promise<boolean> {
  const { rows } = await sql`
    delete from effects
    where project_id = ${effect.project_id} and transition_id = ${effect.transition_id}
      and kind = ${effect.kind} and target_id = ${effect.target_id}
    returning 1`.execute(ctx.db);
  return rows.length > 0;
}

/** To the end of the line, for another time. */
export async function putEffectBack(ctx: Ctx, effect: Effect): Promise<void> {
  await sql`
    update effects set created_at = clock()
    where project_id = ${effect.project_id} and transition_id = ${effect.transition_id}
      and kind = ${effect.kind} and target_id = ${effect.target_id}`.execute(ctx.db);
}
