import type { ENDPOINT_EVENTS } from "@millrace/contract/deliveries/webhook-subscriptions";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { notifySubscribers } from "../../../platform/webhooks/notify-subscribers.ts";
import { unblockNext } from "../../limits/unblock-next.ts";
import { type Lane, wakeLanes } from "../claim/lanes.ts";
import { nextTurns } from "../turns/next-turn.ts";
import { CIRCUITS_TOPIC, type HostKey } from "./circuits.ts";
import { probeInterval } from "./unreachable-rules.ts";

/** Opens the circuit: this many failures within this many seconds, without a response in between. */
const MAX_FAILURES = 5;
const WINDOW_SECS = 10;
/** Being unreachable for this long also opens the circuit: a host with few runs fails too rarely for the first rule. */
const MAX_DOWN_SECS = 60;
/** After this long without an attempt, it is unknown whether the host can be reached. */
const FORGET_SECS = 120;
const PAGE = 1_000;

export type UnreachableHost = HostKey & { origin: string; reason: string; failures: number };

/** Records that no connection could be made. Enough of them open the host's circuit, on all instances. */
export async function recordUnreachableHost(ctx: Ctx, host: UnreachableHost): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if (!(await recordFailures(tx, host))) return;
    await openUnreachable(tx, host);
    await blockBackoffs(tx, host);
  });
}

/** True: the circuit has to be opened. A failure while runs are being released begins the probing again. */
async function recordFailures(tx: Ctx & InTransaction, host: UnreachableHost): Promise<boolean> {
  const { project_id, origin, reason } = host;
  const failures = Math.min(host.failures, MAX_FAILURES);
  const { rows } = await sql<{ is_broken: boolean }>`
    insert into circuits as c (project_id, host, status, origin, reason, down_since, recent_failures, updated_at)
    values (${project_id}, ${host.host}, 'closed', ${origin}, ${reason}, clock(),
      array_fill(clock()::timestamptz(3), array[${failures}::int]), clock())
    on conflict (project_id, host) do update
    set origin = excluded.origin, reason = excluded.reason,
      down_since = case when c.status = 'open' or c.updated_at >= clock() - ${sql.lit(FORGET_SECS)} * interval '1 second'
        then coalesce(c.down_since, excluded.down_since) else excluded.down_since end,
      recent_failures = (c.recent_failures || excluded.recent_failures)[
        greatest(1, cardinality(c.recent_failures) + ${failures}::int - ${sql.lit(MAX_FAILURES - 1)}):],
      good_probes = case when c.cause = 'unreachable' then 0 else c.good_probes end,
      probe_at = case when c.cause = 'unreachable' and c.status = 'open' and c.good_probes > 0
        then clock() + ${probeInterval(tx)} else c.probe_at end,
      updated_at = excluded.updated_at
    returning (status = 'closed' or cause = 'failing') and (down_since <= clock() - ${sql.lit(MAX_DOWN_SECS)} * interval '1 second'
      or cardinality(recent_failures) >= ${sql.lit(MAX_FAILURES)}
        and recent_failures[1] >= clock() - ${sql.lit(WINDOW_SECS)} * interval '1 second') as is_broken`.execute(tx.db);
  return rows[0]?.is_broken === true;
}

async function openUnreachable(tx: Ctx & InTransaction, { project_id, host, reason }: UnreachableHost): Promise<void> {
  const { rows } = await sql<{ down_since: string }>`
    update circuits set status = 'open', cause = 'unreachable', good_probes = 0, opened_at = clock(),
      probe_at = clock() + ${probeInterval(tx)}, updated_at = clock()
    where project_id = ${project_id} and host = ${host}
    returning down_since`.execute(tx.db);
  await publish(tx, { project_id, host }, "endpoint.unreachable", {
    down_since: rows[0]?.down_since,
    last_error: reason,
  });
  tx.afterCommit(({ log }) =>
    log.warn({ project_id, host, reason }, "a host cannot be reached; its runs wait until it responds again"),
  );
  wake(tx, CIRCUITS_TOPIC);
}

async function publish(
  tx: Ctx & InTransaction,
  { project_id, host }: HostKey,
  type: (typeof ENDPOINT_EVENTS)[number],
  details: object,
): Promise<void> {
  const data = { project_id, host, ...details };
  await notifySubscribers(tx, [
    { project_id, environment_id: null, type, source_type: "endpoint", source_id: host, data },
  ]);
}

/** Runs that wait for their next attempt wait for the circuit instead. Those left over are blocked when they are due. */
async function blockBackoffs(tx: Ctx & InTransaction, { project_id, host }: HostKey): Promise<void> {
  await sql`
    with waiting as materialized (${backoffs({ project_id, host })})
    update run_queue q set blocked_on = ${`circuit:${host}`}
    from waiting w where q.project_id = ${project_id} and q.run_id = w.run_id`.execute(tx.db);
}

/** Makes the host's delayed runs due now. */
async function releaseBackoffs(tx: Ctx & InTransaction, { project_id, host }: HostKey): Promise<void> {
  const { rows } = await sql<Lane>`
    with waiting as materialized (${backoffs({ project_id, host })}),
    turns as materialized (
      select w.run_id, ${nextTurns("w", { takes: sql`true`, due_at: sql`clock()`, lead: sql`(w.run_at - w.rank_at)`, id: sql`w.run_id` })} as interleave_at from waiting w
    )
    update run_queue q set blocked_on = null, run_at = least(q.run_at, clock()),
      rank_at = q.rank_at - (q.run_at - least(q.run_at, clock())),
      interleave_at = t.interleave_at, turn_at = t.interleave_at - (q.run_at - q.rank_at)
    from turns t where q.project_id = ${project_id} and q.run_id = t.run_id
    returning q.project_id, q.host, q.rank_at`.execute(tx.db);
  wakeLanes(tx, rows);
}

function backoffs({ project_id, host }: HostKey): Sql {
  return sql`
    select q.project_id, q.run_id, q.job_id, q.concurrency_key, q.run_at, q.rank_at from run_queue q
    where q.project_id = ${project_id} and q.host = ${host} and q.unreachable_until is not null
      and q.blocked_on = 'not_due'
    order by q.unreachable_until limit ${sql.lit(PAGE)} for update skip locked`;
}

/** A host responded before its circuit was opened: its runs need not wait for their next attempt. */
export async function recordReached(ctx: Ctx, { project_id, host }: HostKey): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const { rows } = await sql`
      update circuits set down_since = null, recent_failures = '{}', answered_at = coalesce(answered_at, clock()),
        updated_at = clock()
      where project_id = ${project_id} and host = ${host} and status = 'closed' and down_since is not null
      returning 1`.execute(tx.db);
    if (rows.length > 0) await releaseBackoffs(tx, { project_id, host });
  });
}

/** Hosts that no run has tried to reach recently, because all waiting runs were canceled: their state is unknown. */
export async function removeUntried(ctx: Ctx): Promise<void> {
  await sql`
    with untried as materialized (
      select project_id, host from circuits
      where down_since is not null and status = 'closed'
        and updated_at < clock() - ${sql.lit(FORGET_SECS)} * interval '1 second'
      for no key update skip locked
    )
    update circuits c set down_since = null, recent_failures = '{}'
    from untried u where c.project_id = u.project_id and c.host = u.host`.execute(ctx.db);
}

/** Hosts that responded for the first time. Instances record each once. */
export async function recordFirstResponses(ctx: Ctx, hosts: readonly HostKey[]): Promise<void> {
  await sql`
    insert into circuits as c (project_id, host, status, answered_at, updated_at)
    select g.project_id, g.host, 'closed', clock(), clock()
    from unnest(${hosts.map((each) => each.project_id)}::uuid[], ${hosts.map((each) => each.host)}::text[])
      as g(project_id, host)
    order by g.project_id, g.host
    on conflict (project_id, host) do update set answered_at = excluded.answered_at
    where c.answered_at is null`.execute(ctx.db);
}

/** A connection was made: runs are released from now on. True: by this instance, which releases the first. */
export async function beginRelease(ctx: Ctx, { project_id, host }: HostKey): Promise<boolean> {
  const { rows } = await sql`
    update circuits set good_probes = 1, probe_at = clock() + interval '1 second', updated_at = clock()
    where project_id = ${project_id} and host = ${host} and status = 'open' and cause = 'unreachable' and good_probes = 0
    returning 1`.execute(ctx.db);
  return rows.length > 0;
}

/** All released runs were claimed: the others follow. */
export async function closeUnreachable(ctx: Ctx, { project_id, host }: HostKey): Promise<void> {
  const counts = new Map([[`circuit:${host}`, PAGE]]);
  let isClosed = false;
  let released = await inTransaction(ctx, async (tx) => {
    const { rows } = await sql<{ down_since: string }>`
      with held as materialized (
        select project_id, host, down_since from circuits
        where project_id = ${project_id} and host = ${host} and status = 'open' and cause = 'unreachable'
          and good_probes > 0 for update
      )
      update circuits c set status = 'closed', probe_at = null, good_probes = 0, down_since = null,
        recent_failures = '{}', updated_at = clock()
      from held h where c.project_id = h.project_id and c.host = h.host
      returning h.down_since`.execute(tx.db);
    isClosed = rows[0] !== undefined;
    if (!rows[0]) return 0;
    await publish(tx, { project_id, host }, "endpoint.recovered", { down_since: rows[0].down_since });
    await releaseBackoffs(tx, { project_id, host });
    wake(tx, CIRCUITS_TOPIC);
    return unblockNext(tx, project_id, counts);
  });
  if (isClosed) ctx.log.info({ project_id, host }, "the host can be reached again");
  while (released === PAGE) released = await inTransaction(ctx, (tx) => unblockNext(tx, project_id, counts));
}
