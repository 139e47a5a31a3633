import { type RawBuilder, sql } from "kysely";
import { fewRows } from "../../../platform/database/few-rows.ts";
import type { LoadedRun } from "./loaded-run.ts";

/**
 * A part of statements after whose commit workflow runs must be progressed: inserts an outbox entry, so that a crash in
 * between loses nothing. One per workflow run, written and deleted under its lock. `runs` has its `id`.
 */
export function progressCaused(project_id: string, runs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    to_progress as (
      insert into outbox (project_id, transition_id, kind, target_id, created_at)
      select ${project_id}::uuid, id::text, 'progress', id::text, clock() from ${runs}
      on conflict (project_id, transition_id, kind, target_id) do nothing
    )`;
}

/** The counterpart: acknowledges the entry. */
export function progressDone(loadedRuns: readonly LoadedRun[]): RawBuilder<unknown> {
  const keys = loadedRuns.map(({ run }) => ({ project_id: run.project_id, id: run.id }));
  return sql`
    progress_done as (
      delete from outbox e
      using json_to_recordset(${JSON.stringify(keys)}::json) as g(project_id uuid, id text)
      where e.project_id = g.project_id and e.transition_id = g.id and e.kind = 'progress' and e.target_id = g.id
        and ${fewRows("g.id")}
    )`;
}
