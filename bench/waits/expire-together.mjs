import { OURS } from "../start-millrace.mjs";
import { until } from "./until.mjs";

const LEAD_SECS = 5;
const TIMEOUT_MS = 120_000;

/**
 * Sets the same expiry for the last waits. Measures how long until none of them waits, and until all workflows have
 * ended.
 */
export async function expireTogether({ client }, expiring) {
  const { rows } = await client.query(EXPIRE, [expiring, LEAD_SECS]);
  const ids = rows.map((row) => row.workflow_run_id);
  if (ids.length !== expiring) throw new Error(`${ids.length} waits can expire instead of ${expiring}`);
  const secondsSince = async () =>
    (await client.query("select extract(epoch from clock() - $1) as secs", [rows[0].at])).rows[0].secs;
  const none = async (statement) => (await client.query(statement, [ids])).rows[0].count === 0;

  await until("the triggers to time out", () => none(STILL_WAITING), TIMEOUT_MS);
  const expired_secs = Number(await secondsSince());
  await until("the workflows to end", () => none(STILL_RUNNING), TIMEOUT_MS);
  return { expired_secs, ended_secs: Number(await secondsSince()) };
}

const EXPIRE = `
  update event_triggers t set expires_at = soon.at
  from (select clock() + $2 * interval '1 second' as at) soon, (
    select project_id, id from event_triggers where project_id = ${OURS} and status = 'waiting' order by expires_at desc limit $1
  ) last
  where t.project_id = last.project_id and t.id = last.id
  returning t.workflow_run_id, t.expires_at as at`;

const STILL_WAITING = `
  select count(*)::int from event_triggers
  where status = 'waiting' and workflow_run_id = any($1) and expires_at <= clock() + interval '1 hour'`;

const STILL_RUNNING = "select count(*)::int from workflow_runs where finished_at is null and id = any($1)";
