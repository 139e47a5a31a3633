import pg from "pg";
import {
  connectionTo,
  FOR_BUSY,
  newDataDir,
  OURS,
  postmasterOf,
  startMillrace,
  startMoreInstances,
} from "../start-millrace.mjs";
import { openPost } from "./post.mjs";
import { settleDatabase } from "./settle-database.mjs";
import { enqueueInBulk } from "./steps.mjs";

const JOB = "/v1/jobs/deliver-order";
/** Same endpoint, but never paused: future runs of a paused job would be blocked by the job instead of their time. */
const LATER = "/v1/jobs/deliver-later";
const FUTURE_SECS = 86_400;

/** Millrace as its users run it: over HTTP with an API key, and everything about a run recorded. */
export async function open({ sinkUrl, limits = {}, instances = 1, dataDir = newDataDir() }) {
  const millrace = await startMillrace({ dataDir, node: FOR_BUSY });
  const others = await startMoreInstances({ dataDir, count: instances - 1, node: FOR_BUSY });
  const all = [millrace, ...others];
  const posts = all.map(({ url }) => openPost(url, { connections: 128, headers: millrace.headers }));
  let sent = 0;
  const post = (path, text) => posts[sent++ % posts.length].post(path, text);
  const client = new pg.Client(connectionTo(dataDir));
  await client.connect();
  const send = (path, body) => post(path, JSON.stringify(body));
  await send("/v1/jobs", { name: "Deliver order", slug: "deliver-order", endpoint_url: sinkUrl, ...limits });
  await send("/v1/jobs", { name: "Deliver later", slug: "deliver-later", endpoint_url: sinkUrl });
  await send(`${JOB}/pause`, {});

  const system = {
    version: "this checkout",
    url: millrace.url,
    apiKey: millrace.apiKey,
    pids: {
      service: millrace.pid,
      ...Object.fromEntries(others.map(({ pid }, nth) => [`service_${nth + 2}`, pid])),
      postgres: postmasterOf(dataDir),
    },
    enqueue: (payload) => send(`${JOB}/trigger`, { payload }),
    bulkSize: 100,
    bulk: (payloads) => send(`${JOB}/trigger/bulk`, { items: payloads.map((payload) => ({ payload })) }),
    fill: async (n) => {
      await enqueueInBulk(system, n);
      await settleDatabase(client);
    },
    startWork: () => send(`${JOB}/resume`, {}),
    stopWork: () => send(`${JOB}/pause`, {}),
    /** An ended run leaves the queue in the same transaction. */
    countUnfinished: async () => {
      const { rows } = await client.query(COUNT_UNFINISHED);
      return rows[0].count;
    },
    /** Runs that ended more than 90 minutes ago. */
    countOld: async () => {
      const { rows } = await client.query(COUNT_OLD);
      return rows[0].count;
    },
    seed: {
      aged: (n, age) => client.query(SEED_AGED, [n, age]),
      finished: (n) => client.query(SEED_FINISHED, [n]),
      future: async (n) => {
        await send(`${LATER}/trigger`, { payload: {}, delay_secs: FUTURE_SECS });
        return client.query(SEED_FUTURE, [n]);
      },
    },
    close: async () => {
      await Promise.all(posts.map(({ close }) => close()));
      await client.end();
      await Promise.all(others.map((other) => other.stop()));
      await millrace.stop();
    },
  };
  return system;
}

/**
 * In four parts, each served by an index, so that a million future runs are not scanned. Only our project: the demo
 * has runs for the next ten minutes.
 */
const COUNT_UNFINISHED = `
  select count(*)::int as count from (
    select project_id from run_queue where lease_until is not null
    union all
    select project_id from run_queue where lease_until is null and blocked_on is null
    union all
    select project_id from run_queue where blocked_on is not null and blocked_on <> 'not_due'
    union all
    select project_id from run_queue where blocked_on = 'not_due' and run_at < now() + interval '1 hour'
  ) parts where project_id = ${OURS}`;

/** Copies of a run finished by the service, with ids of earlier days. */
const SEED_FINISHED = `
  insert into runs
  select copy.*
  from (select runs as original from runs where status = 'completed' limit 1) found,
    generate_series(1, $1::int) i,
    jsonb_populate_record(original, jsonb_build_object('id', uuidv7(i * interval '-0.1 second'))) copy`;

/** The same, with an end further in the past. */
const SEED_AGED = `
  insert into runs
  select copy.*
  from (select runs as original from runs where status = 'completed' limit 1) found,
    generate_series(1, $1::int) i,
    jsonb_populate_record(original, jsonb_build_object('id', uuidv7(i * interval '-1 ms' - $2::interval),
      'created_at', now() - $2::interval, 'finished_at', now() - $2::interval)) copy`;

const COUNT_OLD = "select count(*)::int as count from runs where finished_at < now() - interval '90 minutes'";

/** Copies of a run scheduled by the service, in both tables, due one after the other. */
const SEED_FUTURE = `
  with ids as materialized (
    select uuidv7() as id, now() + interval '1 day' + i * interval '0.1 second' as due from generate_series(1, $1::int) i
  ),
  original as materialized (
    select runs, run_queue from run_queue join runs on runs.project_id = run_queue.project_id and runs.id = run_queue.run_id
    where blocked_on = 'not_due' limit 1
  ),
  copied as (
    insert into runs
    select copy.*
    from ids, original, jsonb_populate_record(runs, jsonb_build_object('id', id, 'scheduled_at', due)) copy
  )
  insert into run_queue
  select copy.*
  from ids, original,
    jsonb_populate_record(run_queue, jsonb_build_object('run_id', id, 'run_at', due, 'rank_at', due)) copy`;
