import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";

/** Events that cause events: a deeper chain is taken for a cycle. */
export const MAX_CHAIN_LENGTH = 50;

/** More steps upwards than any chain takes: runs spawn 32 levels deep, and workflows start workflows. */
const MAX_STEPS = 200;

export type ChainLink = { kind: "run" | "workflow_run"; id: string };

/**
 * How many events led to a run or workflow run: those that started it or an ancestor, and those that steps emitted to
 * it. Follows the creators upwards, only when an event is about to be emitted: runs store nothing for it.
 */
export async function chainDepth(ctx: Ctx, project_id: string, from: ChainLink): Promise<number> {
  const { rows } = await sql<{ depth: number }>`
    /* prepared */
    with recursive above(kind, id, step) as (
      select ${from.kind}::text, ${from.id}::uuid, 0
      union
      select n.kind, n.id, above.step + 1 from above cross join lateral (
        select 'run' as kind, r.parent_run_id as id from runs r
        where above.kind = 'run' and r.project_id = ${project_id} and r.id = above.id
        union all
        select 'workflow_run', r.workflow_run_id from runs r
        where above.kind = 'run' and r.project_id = ${project_id} and r.id = above.id
        union all
        select split_part(r.created_by, ':', 1), split_part(r.created_by, ':', 2)::uuid from runs r
        where above.kind = 'run' and r.project_id = ${project_id} and r.id = above.id and r.created_by ~ ${CREATOR}
        union all
        select split_part(w.created_by, ':', 1), split_part(w.created_by, ':', 2)::uuid from workflow_runs w
        where above.kind = 'workflow_run' and w.project_id = ${project_id} and w.id = above.id and w.created_by ~ ${CREATOR}
      ) n
      where n.id is not null and above.step < ${MAX_STEPS}
    )
    select coalesce(max(coalesce(r.chain_depth, w.chain_depth, e.chain_depth)), 0) as depth
    from (select distinct kind, id from above) a
    left join runs r on a.kind = 'run' and r.project_id = ${project_id} and r.id = a.id
    left join workflow_runs w on a.kind = 'workflow_run' and w.project_id = ${project_id} and w.id = a.id
    left join source_events e on a.kind = 'event' and e.project_id = ${project_id} and e.id = a.id`.execute(ctx.db);
  return rows[0]?.depth ?? 0;
}

const CREATOR = "^(run|workflow_run|event):[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";
