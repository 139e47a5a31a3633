import { DEFAULT_QUEUE } from "@millrace/contract/workers/queues";
import type { Ctx, InTransaction } from "../context.ts";
import { sql } from "../database/sql.ts";
import { newId } from "../ids.ts";

/** Every project is created with it. */
export async function insertDefaultQueue(ctx: Ctx & InTransaction, project_id: string): Promise<void> {
  await sql`
    insert into queues (project_id, id, name, created_by, created_at, updated_at)
    values (${project_id}, ${newId()}, ${DEFAULT_QUEUE}, 'service', clock(), clock())`.execute(ctx.db);
}
