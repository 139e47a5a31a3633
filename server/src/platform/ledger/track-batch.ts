import { sql } from "kysely";
import type { InTransaction, ProjectCtx } from "../context.ts";
import { newId } from "../ids.ts";

export type NewBatch = { kind: string; total: number; request?: unknown };

/** Opens a batch operation. Its id goes onto the runs it creates; its progress moves with `advanceBatch`. */
export async function trackBatch(ctx: ProjectCtx & InTransaction, batch: NewBatch): Promise<string> {
  const id = newId();
  await sql`
    insert into batch_operations (project_id, id, kind, status, request, total, created_by, created_at, updated_at)
    values (${ctx.project_id}, ${id}, ${batch.kind}, 'running', ${JSON.stringify(batch.request ?? null)},
      ${batch.total}, ${ctx.caller.name}, clock(), clock())
  `.execute(ctx.db);
  return id;
}
