import pg from "pg";
import { openPost } from "../compare/post.mjs";
import { untilConsumed } from "./until-consumed.mjs";

export const CUSTOMERS = 200_000;
const JOBS = 20;
/** Runs per statement: as many changes as a consumer takes in one pass. */
const PAGE = 2_000;
const PAGE_OF_LIVES = 1_000;
const WRITERS = 2;
const DAYS = 30;

/**
 * Fills the table up to `n` runs of the last 30 days: ended runs of 20 jobs with orders as payloads, and a few paused
 * ones. Each page is one statement and transaction, whose changes the service then consumes as usual. `withLives` logs
 * the start and the end of each run for analytics, at its own time, and does not wait for the index.
 */
export async function seedRuns({ url, headers, client, connect }, n, { withLives = false } = {}) {
  await createJobs(url, headers, client);
  const { rows } = await client.query("select count(*)::int as there from runs");
  const { there } = rows[0];
  const page = withLives ? PAGE_OF_LIVES : PAGE;
  const startedAt = performance.now();
  let next = there;
  const write = async () => {
    const writer = new pg.Client(connect);
    await writer.connect();
    await writer.query("set synchronous_commit = off");
    while (next < n) {
      const from = next;
      next = Math.min(n, from + page);
      await writer.query(`${SEED} ${withLives ? LIVES : ENDS}`, [from, next - 1, n, DAYS, CUSTOMERS]);
      if (next % 500_000 < page) process.stderr.write(`${next.toLocaleString("en")} runs seeded\n`);
    }
    await writer.end();
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  const seededAt = performance.now();
  if (!withLives) await untilConsumed(client, ["sum-changes"], () => countIndexed(client));
  return {
    added: n - there,
    seed_secs: Math.round((seededAt - startedAt) / 1_000),
    index_secs: Math.round((performance.now() - seededAt) / 1_000),
    size: (await client.query(SIZES)).rows.map(({ name, size }) => `${name} ${size}`).join(", "),
  };
}

async function createJobs(url, headers, client) {
  const api = openPost(url, { connections: 1, headers });
  const { rows } = await client.query("select count(*)::int as there from jobs where slug like 'seeded-%'");
  for (let nth = rows[0].there; nth < JOBS; nth++) {
    const job = { name: `Seeded ${nth}`, slug: `seeded-${nth}`, endpoint_url: "http://127.0.0.1:9999/" };
    await api.post("/v1/jobs", JSON.stringify(job));
  }
  await api.close();
}

async function countIndexed(client) {
  const { rows } = await client.query(INDEXED);
  return `${Number(rows[0].indexed).toLocaleString("en")} runs indexed`;
}

/** Reads all blocks, so use it rarely. */
const INDEXED = "select coalesce(sum(cardinality(run_ids)), 0) as indexed from run_blocks";

const SIZES = `
  select name, pg_size_pretty(size) as size from (
    select 'runs' as name, pg_total_relation_size('runs') as size
    union all select 'blocks', pg_total_relation_size('run_blocks')
    union all select 'their terms', pg_relation_size('run_blocks_terms_idx')
  ) sizes`;

/** Ids and times increase from 30 days ago until now. */
const SEED = `
  with jobs as materialized (
    select project_id, id as job_id, version_id, row_number() over (order by slug) - 1 as nth,
      (select e.id from environments e where e.project_id = j.project_id and e.slug = 'production') as environment_id
    from jobs j where slug like 'seeded-%'
  ),
  given as materialized (
    select i, d.shift, uuidv7(d.shift) as id, now() + d.shift as at, jobs.*, (i::bigint * 7919) % 1000003 as mixed,
      (20 + power((i::bigint * 7919) % 977, 2) / 20) * interval '1 millisecond' as took,
      case when i % 10000 = 77 then 'paused' when i % 5000 = 13 then 'canceled' when i % 1000 = 3 then 'timed_out'
        when i % 50 = 0 then 'failed' else 'completed' end as status
    from generate_series($1::int, $2::int) i
    cross join lateral (select (i::float8 / $3::int - 1) * $4::int * interval '1 day' as shift) d
    join jobs on jobs.nth = (i / 3) % 20
  ),
  inserted as (
    insert into runs (project_id, id, job_id, job_version_id, environment_id, status, prev_status, transition_count, attempt,
      tries_used, max_attempts, timeout_secs, payload, tags, metadata, result, error, concurrency_key, created_by,
      trigger_type, scheduled_at, started_at, finished_at, dead_lettered_at, created_at, updated_at)
    select project_id, id, job_id, version_id, environment_id, status, case status when 'canceled' then 'pending' else 'running' end,
      3, 1, 0, 3, 300,
      jsonb_build_object('order_id', 'ord_' || i, 'customer', jsonb_build_object('id', mixed % $5::int,
          'tier', (array['basic', 'silver', 'gold'])[1 + mixed % 3]),
        'currency', (array['eur', 'usd', 'gbp'])[1 + i % 3], 'total', (mixed % 100000) / 100.0,
        'items', jsonb_build_array(jsonb_build_object('sku', 'SKU-' || mixed % 5000, 'count', 1 + i % 4)),
        'note', 'Leave it with the neighbors when nobody is in; ring twice, the bell is faint.'),
      jsonb_build_object('region', (array['eu', 'us', 'ap'])[1 + (i / 7) % 3])
        || case when i < 1000 then '{"campaign": "spring"}'::jsonb else '{}' end,
      '{}', case when status = 'completed' then '{"delivered": true}'::jsonb end,
      case when status in ('failed', 'timed_out') then
        jsonb_build_object('code', 'http_503', 'message', 'The endpoint responded with 503 for order ' || i) end,
      case when i % 2 = 0 then 'tenant-' || mixed % 5000 end, 'api_key:seed',
      (array['api', 'cron', 'event'])[1 + i % 3], at, at, case when status <> 'paused' then at + took end,
      case when status in ('failed', 'timed_out') and i % 100 < 60 then at end, at, at
    from given
  )`;

/** Adds the transitions to the changelog: one row per time, because consumers find transitions by their time. */
const APPEND = `
  insert into changelog_inbox (
    project_id, kind, ids, ordinals, from_statuses, to_statuses, causes, attempts, created_at)
  select project_id, 'run', array_agg(run_id), array_agg(ordinal), array_agg(from_status), array_agg(to_status),
    array_agg(cause), array_agg(attempt), created_at
  from logged group by project_id, created_at order by created_at`;

/** Not from `running`: dispatches that began up to 30 days ago would be spread over all buckets of the costs. */
const ENDS = `, logged as (
  insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
  select project_id, id, 3, 'pending', status, status, 1, clock() from given
  returning *
)
${APPEND}`;

const LIVES = `, logged as (
  insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
  select project_id, id, 1, null, 'pending', 'created', 0, null, at from given
  union all
  select project_id, id, 3, 'running', status, status, 1, case when status in ('failed', 'timed_out') then
      jsonb_build_object('http_status', 503, 'error', jsonb_build_object('code', 'http_503', 'message',
        (array['The endpoint responded with 503 for order ', 'No stock for order ', 'The card was refused for '])[1 + i % 3] || i)) end,
    at + took
  from given where status <> 'paused'
  returning *
)
${APPEND}`;
