import { sql } from "kysely";
import type { InTransaction, RunCtx } from "../../../platform/context.ts";

/** The state from which the next attempt continues. Call it under the fence. */
export async function reportState(ctx: RunCtx & InTransaction, state_json: string): Promise<void> {
  await sql`
    update runs set state = ${state_json}::jsonb, updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${ctx.run_id} and status = 'running'`.execute(ctx.db);
}
