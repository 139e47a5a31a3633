import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import { type Keyed, type Repeated, targetOf } from "./take-idempotency-keys.ts";

/** What `takeIdempotencyKeys` would return for one run now, without taking its key. Undefined: the key is free. */
export async function findRepeated(ctx: Ctx, run: Keyed): Promise<Repeated | undefined> {
  if (run.idempotency_key === null) return undefined;
  const { rows } = await sql<{ run_id: string; body_hash: string }>`
    select run_id, encode(body_hash, 'hex') as body_hash from idempotency_keys
    where project_id = ${run.project_id} and target_id = ${targetOf(run)} and environment_id = ${run.environment_id}
      and key = ${run.idempotency_key} and expires_at > clock()`.execute(ctx.db);
  const [holder] = rows;
  if (!holder) return undefined;
  if (holder.body_hash !== run.body_hash) return { kind: "conflict" };
  return { kind: "existing", run_id: holder.run_id, why: "idempotency_key" };
}
