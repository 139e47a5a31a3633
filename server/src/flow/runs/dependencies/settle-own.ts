import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import type { RunKey } from "../lock-runs.ts";
import { settleDependents } from "./settle-dependents.ts";

/** Does at once for a new run what the outbox would do: some of its dependencies may have ended before. */
export async function settleOwn(ctx: Ctx, { project_id, run_id }: RunKey): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select r.id from run_dependencies d, lateral (
      select r.id from runs r
      where r.project_id = d.project_id and r.id = d.depends_on_run_id and r.finished_at is not null offset 0
    ) r
    where d.project_id = ${project_id} and d.run_id = ${run_id} and d.ended_as is null`.execute(ctx.db);
  for (const { id } of rows) await settleDependents(ctx, { project_id, run_id: id });
}
