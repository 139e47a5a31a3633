import { setTimeout as pause } from "node:timers/promises";

/** Makes the service roll up everything that was seeded, from the start. Returns the duration. */
export async function rollUp(client) {
  const startedAt = performance.now();
  await client.query("delete from rollups");
  await client.query("delete from error_groups");
  await client.query("delete from cost_rollups");
  await client.query(RESET);
  for (let reportedAt = performance.now(); ; await pause(500)) {
    const { rows } = await client.query(LEFT);
    if (rows[0].is_done) break;
    if (performance.now() - reportedAt < 30_000) continue;
    process.stderr.write(`${Number(rows[0].runs).toLocaleString("en")} runs rolled up\n`);
    reportedAt = performance.now();
  }
  await client.query(COPIES);
  return Math.round((performance.now() - startedAt) / 1_000);
}

export async function readSizes(client) {
  const { rows } = await client.query(SIZES);
  return `${Number(rows[0].rows).toLocaleString("en")} rows, ${rows[0].size}`;
}

const CONSUMERS = "('roll-up-runs', 'roll-up-costs/dispatches')";
const RESET = `update log_cursors set after_xid = '0', floor_at = '-infinity' where consumer in ${CONSUMERS}`;

const LEFT = `
  select not exists (
      select 1 from run_transitions where xid > (select min(after_xid) from log_cursors where consumer in ${CONSUMERS})) as is_done,
    (select coalesce(sum(counts[1]), 0) from rollups where series = 'runs' and split = 'all' and grain = 0) as runs`;

/** Series that runs do not produce get as many rows as those of runs, with the same shape. */
const COPIES = `
  insert into rollups (project_id, series, split, grain, bucket_at, subject_id, environment_id, part, counts, sketch)
  select project_id, 'workflows', case split when 'job' then 'workflow' when 'job_version' then 'workflow_version' else split end,
    grain, bucket_at, subject_id, environment_id, part, counts, sketch
  from rollups where series = 'runs' and split in ('all', 'job', 'job_version') and grain > 0
  union all
  select project_id, 'events', split, grain, bucket_at, subject_id, environment_id, part, counts[1:6], null
  from rollups where series = 'runs' and split in ('all', 'job') and grain > 0
  union all
  select project_id, 'webhooks', 'endpoint', grain, bucket_at, subject_id, environment_id, '',
    array[counts[2] + counts[3], counts[2], counts[3], 0, 0, counts[7]], sketch
  from rollups where series = 'runs' and split = 'job' and grain > 0
  on conflict do nothing`;

const SIZES = `
  select (select count(*) from rollups) as rows, pg_size_pretty(pg_total_relation_size('rollups')) as size`;
