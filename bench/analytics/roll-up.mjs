import { untilConsumed } from "../listing/until-consumed.mjs";

/** Keeps the changelog from its start, which the service would delete once every consumer has read it. */
export async function keepChangelog(client) {
  await client.query(KEEP);
}

/** Makes the service roll up everything that was seeded, from the start. Returns the duration. */
export async function rollUp(client) {
  const startedAt = performance.now();
  await client.query("delete from rollups");
  await client.query("delete from error_groups");
  await client.query("delete from cost_rollups");
  await client.query("delete from run_blocks");
  await client.query("delete from unindexed_runs");
  await client.query(RESET, [CONSUMERS]);
  await untilConsumed(client, CONSUMERS, () => countRolledUp(client));
  await client.query(COPIES);
  return Math.round((performance.now() - startedAt) / 1_000);
}

async function countRolledUp(client) {
  const { rows } = await client.query(ROLLED_UP);
  return `${Number(rows[0].runs).toLocaleString("en")} runs rolled up`;
}

export async function readSizes(client) {
  const { rows } = await client.query(SIZES);
  return `${Number(rows[0].rows).toLocaleString("en")} rows, ${rows[0].size}`;
}

const KEEP = `
  insert into log_cursors (consumer, position, updated_at) values ('bench', 0, clock()) on conflict do nothing`;

const CONSUMERS = ["sum-changes"];
const RESET = "update log_cursors set position = 0 where consumer = any($1)";

const ROLLED_UP = `
  select coalesce(sum(counts[1]), 0) as runs from rollups where series = 'runs' and split = 'all' and grain = 0`;

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
