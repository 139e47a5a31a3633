import { type Sql, sql } from "../database/sql.ts";

/**
 * What changed. Runs carry their transition; the others are references to rows that hold the rest:
 * decisions, log lines and usage by run and row, deliveries and batch operations by id, in their current state.
 */
export type ChangeKind = "run" | "workflow_run" | "run_log" | "run_usage" | "webhook_delivery" | "batch_operation";

/**
 * A part of a statement that adds the transitions that `logged` has inserted to the changelog: one row per project.
 * `logged` returns `TRANSITION`.
 */
export function appendRunChanges(logged = sql`logged`): Sql {
  return sql`
    appended as (
      insert into changelog_inbox (
        project_id, kind, ids, ordinals, from_statuses, to_statuses, causes, attempts, created_at)
      select project_id, 'run', array_agg(run_id), array_agg(ordinal), array_agg(from_status), array_agg(to_status),
        array_agg(cause), array_agg(attempt), max(created_at)
      from ${logged} group by project_id
    )`;
}

/**
 * The same for creations: a row for the runs of one job version, environment and kind of trigger, marked as uniform.
 * `moved` has these columns and `TRANSITION`. Sums then look up one run of the row instead of each.
 */
export function appendCreations(moved: Sql): Sql {
  return sql`
    appended as (
      insert into changelog_inbox (
        project_id, kind, is_uniform, ids, ordinals, from_statuses, to_statuses, causes, attempts, created_at)
      select project_id, 'run', true, array_agg(run_id), array_agg(ordinal), array_agg(from_status), array_agg(to_status),
        array_agg(cause), array_agg(attempt), max(created_at)
      from ${moved} group by project_id, job_version_id, environment_id, trigger_type
    )`;
}

type UniformBatch = {
  project_id: string;
  /** PostgreSQL's text of the list. */
  ids: string;
  count: number;
};

/**
 * The same for runs created together, all or none of them running, without reading them again: their ids once for the
 * creations, and once more for the claims. Nothing if `placed` has no row.
 */
export function appendUniform({ project_id, ids, count }: UniformBatch): Sql {
  const listed = sql`${ids}::uuid[]`;
  const each = (value: Sql) => sql`array_fill(${value}, array[${count}::int])`;
  const changes = (created: Sql, claimed: Sql) => sql`${created} || case when is_started then ${claimed} end`;
  return sql`
    appended as (
      insert into changelog_inbox (
        project_id, kind, is_uniform, ids, ordinals, from_statuses, to_statuses, causes, attempts, created_at)
      select ${project_id}::uuid, 'run', true, ${changes(listed, listed)}, ${changes(each(sql`1`), each(sql`2`))},
        ${changes(each(sql`null::text`), each(sql`'pending'::text`))},
        ${changes(each(sql`'pending'::text`), each(sql`'running'::text`))},
        ${changes(each(sql`'created'::text`), each(sql`'claimed'::text`))}, ${changes(each(sql`0`), each(sql`1`))}, now
      from placed
    )`;
}

/**
 * The same for ends. They are uniform (`is_uniform`) if they also have the same creator and schedule, and nothing else by
 * which costs are grouped; their row has the durations of their dispatches, and the responses if that is all their spans
 * would read of each run (`is_plain`). The other ends of a project share a row.
 */
export function appendEnds(ended: Sql): Sql {
  return sql`
    appended as (
      insert into changelog_inbox (
        project_id, kind, is_uniform, ids, ordinals, from_statuses, to_statuses, causes, attempts, wall_ms, waited_ms,
        http_statuses, created_at)
      select project_id, 'run', is_uniform, array_agg(run_id), array_agg(transition_count), array_agg(from_status),
        array_agg(to_status), array_agg(cause), array_agg(attempt), case when is_uniform then array_agg(wall_ms) end,
        case when is_uniform then array_agg(waited_ms) end, case when is_plain then array_agg(http_status) end, max(finished_at)
      from ${ended} group by project_id, is_uniform, is_plain, ${sql.join(UNIFORM_COLUMNS.map((name) => sql`case when is_uniform then ${sql.ref(name)} end`))}
    )`;
}

const UNIFORM_COLUMNS = ["job_version_id", "environment_id", "trigger_type", "created_by", "schedule_id"];

/** What `appendRunChanges` reads of an inserted transition. */
export const TRANSITION = sql`project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at`;

/** The same for decisions on workflow runs; `decided` returns `DECISION`. */
export function appendDecisions(decided = sql`decided`): Sql {
  return sql`
    appended as (
      insert into changelog_inbox (project_id, kind, ids, ordinals, created_at)
      select project_id, 'workflow_run', array_agg(workflow_run_id), array_agg(ordinal), max(created_at)
      from ${decided} group by project_id
    )`;
}

export const DECISION = sql`project_id, workflow_run_id, ordinal, created_at`;

/** The same for rows of runs: log lines and usage; `written` returns `project_id, run_id, id, created_at`. */
export function appendRunRows(kind: "run_log" | "run_usage", written: Sql): Sql {
  return sql`
    appended as (
      insert into changelog_inbox (project_id, kind, ids, row_ids, created_at)
      select project_id, ${sql.lit(kind)}, array_agg(run_id order by id), array_agg(id order by id), max(created_at)
      from ${written} group by project_id
    )`;
}

/** The same for objects whose current state is read with the change; `changed` returns `project_id, id`. */
export function appendStates(kind: "webhook_delivery" | "batch_operation", changed: Sql): Sql {
  return sql`
    appended as (
      insert into changelog_inbox (project_id, kind, ids, created_at)
      select project_id, ${sql.lit(kind)}, array_agg(id), clock() from ${changed} group by project_id
    )`;
}
