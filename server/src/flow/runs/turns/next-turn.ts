import { type Sql, sql } from "../../../platform/database/sql.ts";

type Newcomer = {
  due_at: Sql;
  /** By how much its priority moves it ahead. */
  lead: Sql;
};

/** By how much a priority moves a run ahead in the queue: a minute for each point. */
export function leadOf(priority: Sql): Sql {
  return sql`(${priority} * interval '1 minute')`;
}

/**
 * The turn of a run that takes its place in the queue now, among the runs of its job with other concurrency keys and
 * before priority (`interleave_at`): behind the previous run of its key, and the first of a key beside the first that is
 * queued, both of the same priority: what waits with less holds up nothing. One turn is a millisecond. `row` has the
 * run's project, job and key.
 */
export function nextTurn(row: string, { due_at, lead }: Newcomer): Sql {
  const [project_id, job_id, key] = ["project_id", "job_id", "concurrency_key"].map((name) =>
    sql.ref(`${row}.${name}`),
  );
  const isQueued = sql`e.interleave_at - e.turn_at = ${lead} and e.interleave_at is not null and e.lease_until is null`;
  return sql`greatest(
    coalesce((select min(e.interleave_at) from run_queue e where e.project_id = ${project_id} and e.job_id = ${job_id}
      and ${isQueued}), ${due_at}),
    (select max(e.interleave_at) + interval '1 millisecond' from run_queue e where e.project_id = ${project_id}
      and e.job_id = ${job_id} and e.concurrency_key = ${key} and ${isQueued}))`;
}

/** The same for many runs `row` in one statement: those of one key follow each other. Only where `takes` is true. */
export function nextTurns(row: string, { takes, due_at, lead, id }: Newcomer & { takes: Sql; id: Sql }): Sql {
  const [project_id, job_id, key] = ["project_id", "job_id", "concurrency_key"].map((name) =>
    sql.ref(`${row}.${name}`),
  );
  const isPlaced = sql`${key} is not null and ${takes}`;
  return sql`case when ${isPlaced} then ${nextTurn(row, { due_at, lead })}
    + (row_number() over (partition by ${project_id}, ${job_id}, ${key}, ${lead}, ${takes} order by ${due_at}, ${id}) - 1)
      * interval '1 millisecond' end`;
}
