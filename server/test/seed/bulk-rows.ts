import { runSql, type TestConnection } from "../world/database.ts";
import type { TestJob } from "../world/queue-world.ts";

/** Inserts tens of thousands of rows inside the database, to measure plans and passes on full tables. */

/** Ended runs. They have no queue rows. */
export async function manyEnded(connection: TestConnection, job: TestJob, count: number): Promise<void> {
  await runSql(connection, insertRuns("'completed'", "'running'", "(select clock())"), [job.project_id, job.id, count]);
}

/** Queued runs, due now or after a number of seconds. */
export async function manyQueued(
  connection: TestConnection,
  job: TestJob,
  { count, delay_secs = 0 }: { count: number; delay_secs?: number },
): Promise<void> {
  const inserted = insertRuns("'pending'", "null", "null");
  await runSql(
    connection,
    `with inserted as (${inserted} returning project_id, id, job_id)
     insert into run_queue (project_id, run_id, job_id, host, rank_at, run_at, blocked_on, timeout_secs,
       heartbeat_timeout_secs)
     select project_id, id, job_id, $4, (select clock()) + $5 * interval '1 second', (select clock()) + $5 * interval '1 second',
       case when $5 > 0 then 'not_due' end, 300, 60
     from inserted`,
    [job.project_id, job.id, count, job.host, delay_secs],
  );
}

function insertRuns(status: string, prev_status: string, finished_at: string): string {
  return `
    insert into runs (project_id, id, job_id, job_version_id, environment_id, status, prev_status, max_attempts,
      timeout_secs, payload, created_by, trigger_type, scheduled_at, finished_at, created_at, updated_at)
    select j.project_id, gen_random_uuid(), j.id, j.version_id, e.id, ${status}, ${prev_status}, 3, 300, '{}', 'seed',
      'api', (select clock()), ${finished_at}, (select clock()), (select clock())
    from jobs j join environments e on e.project_id = j.project_id and e.slug = 'production',
      generate_series(1, $3::int)
    where j.project_id = $1 and j.id = $2`;
}

/** Projects with one job and one due run each. */
export async function manyProjects(connection: TestConnection, count: number): Promise<void> {
  await runSql(
    connection,
    `with made as (
       insert into projects (id, slug, name, wrapped_data_key, webhook_secret, created_at, updated_at)
       select gen_random_uuid(), 'crowd-' || nth, 'One of many', '', '', (select clock()), (select clock())
       from generate_series(1, $1::int) as nth
       returning id
     ),
     jobs_made as (
       insert into jobs (project_id, id, slug, name, version, version_id, created_by, created_at, updated_at)
       select id, gen_random_uuid(), 'job', 'Job', 1, gen_random_uuid(), 'seed', (select clock()), (select clock()) from made
       returning project_id, id, version_id
     ),
     inserted as (
       insert into runs (project_id, id, job_id, job_version_id, environment_id, status, max_attempts, timeout_secs,
         payload, created_by, trigger_type, scheduled_at, created_at, updated_at)
       select project_id, gen_random_uuid(), id, version_id, gen_random_uuid(), 'pending', 3, 300, '{}', 'seed', 'api',
         (select clock()), (select clock()), (select clock())
       from jobs_made
       returning project_id, id, job_id
     )
     insert into run_queue (project_id, run_id, job_id, host, rank_at, run_at, timeout_secs, heartbeat_timeout_secs)
     select project_id, id, job_id, '127.0.0.1:1024', (select clock()), (select clock()), 300, 60 from inserted`,
    [count],
  );
}
