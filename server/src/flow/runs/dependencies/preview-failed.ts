import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import type { NewRun } from "../create/new-run.ts";
import type { RunStatus } from "../states.ts";
import { dependencyFailed } from "./dependency-failed.ts";
import { isSatisfied } from "./is-satisfied.ts";

/**
 * Why a run would be canceled as soon as it is created: a run it depends on by id has ended, and did not complete.
 * Dependencies on jobs apply only to active runs. Read-only.
 */
export async function previewFailed(ctx: Ctx, { project_id, waits_on }: NewRun) {
  const run_ids = waits_on?.run_ids ?? [];
  if (run_ids.length === 0) return undefined;
  const { rows } = await sql<{ id: string; status: RunStatus }>`
    select r.id, r.status from unnest(${run_ids}::uuid[]) with ordinality as g(id, nth), lateral (
      select r.id, r.status from runs r
      where r.project_id = ${project_id} and r.id = g.id and r.finished_at is not null offset 0
    ) r
    order by g.nth`.execute(ctx.db);
  const failed = rows.find(({ status }) => !isSatisfied("completed", status));
  return failed && dependencyFailed(failed.id, failed.status);
}
