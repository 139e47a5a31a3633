import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { type Granted, unblockNext, unblockSilently, wakeNext } from "../../limits/unblock-next.ts";
import { probeInterval, unreachableLimit } from "./unreachable-rules.ts";

export type HostKey = { project_id: string; host: string };

export const CIRCUITS_TOPIC = "circuits";
const PROBE_EVERY_SECS = 5;
const GOOD_PROBES_TO_CLOSE = 3;
const PAGE = 1_000;
const MAX_OPEN = 1_000;

/** A circuit is open, or a host cannot be reached. */
export const HAS_OPEN_CIRCUITS = sql`(exists (select c.project_id from circuits c where c.status = 'open')
  or exists (select c.project_id from circuits c where c.down_since is not null))`;
/** An open circuit is due to be probed. */
export const HAS_DUE_PROBES = sql`exists (select c.project_id from circuits c where c.status = 'open' and c.probe_at <= clock())`;

/** Opens the circuit of a failing host: its runs are blocked, and one probe every few seconds is sent. */
export async function openCircuit(ctx: Ctx, { project_id, host }: HostKey, reason: string): Promise<void> {
  const { rows } = await sql`
    insert into circuits as c (project_id, host, status, probe_at, opened_at, reason, updated_at)
    values (${project_id}, ${host}, 'open', clock() + ${PROBE_EVERY_SECS} * interval '1 second', clock(), ${reason}, clock())
    on conflict (project_id, host) do update
    set status = 'open', cause = 'failing', good_probes = 0, probe_at = excluded.probe_at, opened_at = excluded.opened_at,
      reason = excluded.reason, updated_at = excluded.updated_at
    where c.status = 'closed'
    returning 1`.execute(ctx.db);
  if (rows.length === 0) return;
  ctx.log.warn({ project_id, host, reason }, "a host is failing; its runs are blocked until it responds again");
  wake(ctx, CIRCUITS_TOPIC);
}

/** Hosts with an open circuit, and those that could not be reached recently. */
export async function listUnhealthyHosts(ctx: Ctx): Promise<(HostKey & { is_open: boolean })[]> {
  const { rows } = await sql<HostKey & { is_open: boolean }>`
    /* prepared */
    (select project_id, host, true as is_open from circuits where status = 'open' and probe_at is not null
      order by probe_at limit ${sql.lit(MAX_OPEN)})
    union all
    (select project_id, host, false from circuits where down_since is not null and status = 'closed'
      limit ${sql.lit(MAX_OPEN)})`.execute(ctx.db);
  return rows;
}

/**
 * Blocks the claimable runs of a lane whose circuit is open. Holds a lock that closing waits for, and probing does not.
 */
export async function blockLane(ctx: Ctx, key: HostKey): Promise<void> {
  for (;;) {
    const blocked = await inTransaction(ctx, (tx) => blockPage(tx, key));
    if (blocked < PAGE) return;
  }
}

/** Their grants pass to runs of other hosts. Runs that wait too long for an unreachable host fail. */
async function blockPage(tx: Ctx & InTransaction, { project_id, host }: HostKey): Promise<number> {
  const { rows } = await sql<Granted>`
    with open as materialized (
      select cause, answered_at from circuits
      where project_id = ${project_id} and host = ${host} and status = 'open' for key share
    ),
    page as materialized (
      select q.run_id, q.granted_by, q.kept, q.limits, open.cause, open.answered_at from open, lateral (
        select q.run_id, q.granted_by, q.kept, q.limits from run_queue q
        where q.project_id = ${project_id} and q.host = ${host} and q.lease_until is null and q.blocked_on is null
          and q.stopped is null
        order by q.rank_at, q.run_id limit ${PAGE} for update skip locked
      ) q
    ),
    waits as materialized (
      select p.run_id, ${unreachableLimit(sql`p.answered_at`, sql`v.unreachable_timeout_secs`)} as longest
      from page p, lateral (
        select v.unreachable_timeout_secs from runs r
        join job_versions v on v.project_id = r.project_id and v.id = r.job_version_id
        where r.project_id = ${project_id} and r.id = p.run_id offset 0
      ) v where p.cause = 'unreachable'
    )
    update run_queue q set blocked_on = ${`circuit:${host}`}, granted_by = null, kept = null,
      unreachable_since = case when w.longest is not null then coalesce(q.unreachable_since, clock()) end,
      unreachable_until = coalesce(q.unreachable_since, clock()) + w.longest
    from page p left join waits w on w.run_id = p.run_id
    where q.project_id = ${project_id} and q.run_id = p.run_id
    returning q.job_id, q.concurrency_key, p.granted_by, p.kept, p.limits`.execute(tx.db);
  await wakeNext(
    tx,
    rows.map((queued) => ({ project_id, queued })),
  );
  return rows.length;
}

/** An open circuit that this instance probes next. */
export type Probe = HostKey & {
  cause: "failing" | "unreachable";
  /** Of an unreachable host: how many times runs were released since a connection could be made. */
  good_probes: number;
  origin: string | null;
};

/** While the runs of an unreachable host are being released, the next step is due a second after the last one was. */
export async function takeProbes(ctx: Ctx): Promise<Probe[]> {
  const { rows } = await sql<Probe>`
    /* prepared */
    with due as materialized (
      select project_id, host, good_probes, cause = 'unreachable' and good_probes > 0 as is_released
      from circuits where status = 'open' and probe_at <= clock()
      order by probe_at limit 100 for no key update skip locked
    )
    update circuits c set updated_at = clock(),
      good_probes = case when d.is_released then c.good_probes + 1 else c.good_probes end,
      probe_at = case when d.is_released then greatest(c.probe_at, clock() - interval '1 second') + interval '1 second'
        when c.cause = 'unreachable' then clock() + ${probeInterval(ctx)}
        else clock() + ${PROBE_EVERY_SECS} * interval '1 second' end
    from due d where c.project_id = d.project_id and c.host = d.host
    returning c.project_id, c.host, c.cause, c.origin, d.good_probes`.execute(ctx.db);
  return rows;
}

/** Unblocks a few runs of an open circuit, for a caller that claims them itself. */
export async function unblockProbes(ctx: Ctx, { project_id, host }: HostKey, count: number): Promise<void> {
  await inTransaction(ctx, (tx) => unblockSilently(tx, project_id, new Map([[`circuit:${host}`, count]])));
}

/**
 * A successful probe brings the circuit of a failing host one step closer to closing; the last one unblocks all its
 * runs. The runs of an unreachable host are released by time, until one of them fails.
 */
export async function recordProbe(ctx: Ctx, host: HostKey, isGood: boolean, reason?: string): Promise<void> {
  if (!isGood) return recordFailedProbe(ctx, host, reason);
  const { rows } = await sql<{ status: string }>`
    with held as materialized (
      select project_id, host from circuits
      where project_id = ${host.project_id} and host = ${host.host} and status = 'open' and cause = 'failing' for update
    )
    update circuits c set good_probes = c.good_probes + 1,
      status = case when c.good_probes + 1 >= ${GOOD_PROBES_TO_CLOSE} then 'closed' else 'open' end,
      probe_at = case when c.good_probes + 1 >= ${GOOD_PROBES_TO_CLOSE} then null else c.probe_at end,
      down_since = null, updated_at = clock()
    from held h where c.project_id = h.project_id and c.host = h.host and c.status = 'open'
    returning c.status`.execute(ctx.db);
  if (rows[0]?.status !== "closed") return;
  ctx.log.info(host, "the host responds again");
  wake(ctx, CIRCUITS_TOPIC);
  await releaseCircuit(ctx, host);
}

async function recordFailedProbe(ctx: Ctx, { project_id, host }: HostKey, reason?: string): Promise<void> {
  await sql`
    update circuits set reason = coalesce(${reason ?? null}, reason), updated_at = clock(),
      probe_at = case when cause = 'unreachable' and good_probes > 0 then clock() + ${probeInterval(ctx)} else probe_at end,
      good_probes = 0
    where project_id = ${project_id} and host = ${host} and status = 'open'`.execute(ctx.db);
}

async function releaseCircuit(ctx: Ctx, { project_id, host }: HostKey): Promise<void> {
  for (;;) {
    const unblocked = await inTransaction(ctx, (tx) =>
      unblockNext(tx, project_id, new Map([[`circuit:${host}`, PAGE]])),
    );
    if (unblocked < PAGE) return;
  }
}
