import { RUN_TRANSITIONS } from "../../src/flow/runs/states.ts";
import { runSql, type TestConnection } from "../world/database.ts";

/** Invariants of the queue while nothing is in progress. Returns the name of each violated one. */
export async function disorder(connection: TestConnection): Promise<string[]> {
  const each = Object.entries(BREACHES).map(
    ([what, query]) => `select '${what}' as what, count(*)::int as rows, min(b::text) as first from (${query}) as b`,
  );
  const found = `select * from (${each.join(" union all ")}) as found where rows > 0`;
  // Planning takes longer than executing on the few rows of a test.
  const prepared = { name: "disorder", text: found, values: [LEGAL] };
  const rows = await runSql<{ what: string; rows: number; first: string }>(connection, prepared);
  return rows.map(({ what, rows, first }) => `${what}: ${rows}, first ${first}`);
}

const LEGAL = RUN_TRANSITIONS.map(([from, to]) => `${from ?? ""}>${to}`);
const ENDED = "('completed', 'failed', 'timed_out', 'canceled')";

/** Each query finds rows that violate an invariant. */
const BREACHES: Record<string, string> = {
  "a pending or running run has no row in the queue": `
    select r.id, r.status from runs r left join run_queue q on q.run_id = r.id
    where r.status in ('pending', 'running') and q.run_id is null`,
  "a run that is neither pending nor running has a row in the queue": `
    select r.id, r.status from runs r join run_queue q on q.run_id = r.id where r.status not in ('pending', 'running')`,
  "a running run has no lease, or a leased run is not running": `
    select r.id, r.status, r.transition_count, q.lease_until from runs r join run_queue q on q.run_id = r.id
    where (r.status = 'running') <> (q.lease_until is not null)`,
  "a run does not have the status of its last transition": `
    select r.id, r.status, r.transition_count, t.to_status from runs r
    left join run_history t on t.run_id = r.id and t.ordinal = r.transition_count
    where t.to_status is distinct from r.status`,
  "transitions are not contiguous": `
    select t.run_id as id, t.ordinal, t.from_status, p.to_status from run_history t
    left join run_history p on p.run_id = t.run_id and p.ordinal = t.ordinal - 1
    where t.from_status is distinct from p.to_status or (t.ordinal > 1 and p.ordinal is null)`,
  "a transition is illegal": `
    select run_id as id, from_status, to_status from run_history
    where coalesce(from_status, '') || '>' || to_status <> all($1::text[])`,
  "a run ended more than once": `
    select run_id as id from run_history where to_status in ${ENDED} group by run_id having count(*) > 1`,
  "a claim did not raise the attempt by one": `
    select r.id, r.attempt, count(*), count(distinct t.attempt), max(t.attempt) from runs r
    join run_history t on t.run_id = r.id and t.cause = 'claimed'
    group by r.id, r.attempt
    having count(*) <> count(distinct t.attempt) or max(t.attempt) <> r.attempt`,
  "a counter differs from the leases": `
    select c.key as id, c.active, h.held from concurrency_counters c, lateral (
      select (
        select count(*) from run_queue q
        where q.project_id = c.project_id and q.lease_until is not null and q.slots @> array[c.key]
      ) + (
        select count(*) from workflow_runs w join workflows f on f.project_id = w.project_id and f.id = w.workflow_id
        where w.project_id = c.project_id and 'workflow:' || f.id = c.key and f.max_concurrent_runs is not null
          and w.finished_at is null and w.holds_slot
      ) as held
    ) h where c.active <> h.held`,
};
