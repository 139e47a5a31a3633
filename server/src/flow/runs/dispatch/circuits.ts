import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { wake } from "../../../platform/wake.ts";
import { type Granted, unblockNext, unblockSilently, wakeNext } from "../../limits/unblock-next.ts";

type HostKey = { project_id: string; host: string };

export const CIRCUITS_TOPIC = "circuits";
const PROBE_EVERY_SECS = 5;
const GOOD_PROBES_TO_CLOSE = 3;
const PAGE = 1_000;
const MAX_OPEN = 1_000;

/** A circuit is open. */
export const HAS_OPEN_CIRCUITS = sql`exists (select c.project_id from circuits c where c.status = 'open')`;
/** An open circuit is due to be probed. */
export const HAS_DUE_PROBES = sql`exists (select c.project_id from circuits c where c.status = 'open' and c.probe_at <= clock())`;

/** Opens the circuit of a failing host: its runs are blocked, and one probe every few seconds is sent. */
export async function openCircuit(ctx: Ctx, { project_id, host }: HostKey, reason: string): Promise<void> {
  const { rows } = await sql`
    insert into circuits as c (project_id, host, status, probe_at, opened_at, reason, updated_at)
    values (${project_id}, ${host}, 'open', clock() + ${PROBE_EVERY_SECS} * interval '1 second', clock(), ${reason}, clock())
    on conflict (project_id, host) do update
    set status = 'open', good_probes = 0, probe_at = excluded.probe_at, opened_at = excluded.opened_at,
      reason = excluded.reason, updated_at = excluded.updated_at
    where c.status = 'closed'
    returning 1`.execute(ctx.db);
  if (rows.length === 0) return;
  ctx.log.warn({ project_id, host, reason }, "a host is failing; its runs are blocked until it responds again");
  wake(ctx, CIRCUITS_TOPIC);
}

export async function listOpenCircuits(ctx: Ctx): Promise<HostKey[]> {
  const { rows } = await sql<HostKey>`
    /* prepared */
    select project_id, host from circuits where status = 'open' and probe_at is not null
    order by probe_at limit ${sql.lit(MAX_OPEN)}`.execute(ctx.db);
  return rows;
}

/** Blocks the claimable runs of a lane whose circuit is open. Holds the circuit's lock, so closing comes after. */
export async function blockLane(ctx: Ctx, key: HostKey): Promise<void> {
  for (;;) {
    const blocked = await inTransaction(ctx, (tx) => blockPage(tx, key));
    if (blocked < PAGE) return;
  }
}

/** Their grants pass to runs of other hosts. */
async function blockPage(tx: Ctx & InTransaction, { project_id, host }: HostKey): Promise<number> {
  const { rows } = await sql<Granted>`
    with open as materialized (
      select 1 from circuits
      where project_id = ${project_id} and host = ${host} and status = 'open' for no key update
    ),
    page as materialized (
      select q.run_id, q.granted_by, q.kept, q.limits from open, lateral (
        select q.run_id, q.granted_by, q.kept, q.limits from run_queue q
        where q.project_id = ${project_id} and q.host = ${host} and q.lease_until is null and q.blocked_on is null
          and q.stopped is null
        order by q.rank_at, q.run_id limit ${PAGE} for update skip locked
      ) q
    )
    update run_queue q set blocked_on = ${`circuit:${host}`}, granted_by = null, kept = null
    from page p where q.project_id = ${project_id} and q.run_id = p.run_id
    returning q.job_id, q.concurrency_key, p.granted_by, p.kept, p.limits`.execute(tx.db);
  await wakeNext(
    tx,
    rows.map((queued) => ({ project_id, queued })),
  );
  return rows.length;
}

/** The open circuits whose next probe falls to this instance, each with one run unblocked for it. */
export async function takeProbes(ctx: Ctx): Promise<HostKey[]> {
  const { rows } = await sql<HostKey>`
    /* prepared */
    with due as materialized (
      select project_id, host from circuits where status = 'open' and probe_at <= clock()
      order by probe_at limit 100 for update skip locked
    )
    update circuits c set probe_at = clock() + ${PROBE_EVERY_SECS} * interval '1 second', updated_at = clock()
    from due d where c.project_id = d.project_id and c.host = d.host
    returning c.project_id, c.host`.execute(ctx.db);
  for (const { project_id, host } of rows) {
    await inTransaction(ctx, (tx) => unblockSilently(tx, project_id, new Map([[`circuit:${host}`, 1]])));
  }
  return rows;
}

/** A successful probe brings the circuit one step closer to closing; the last one unblocks all its runs. */
export async function noteProbe(ctx: Ctx, { project_id, host }: HostKey, isGood: boolean): Promise<void> {
  const { rows } = await sql<{ status: string }>`
    update circuits set good_probes = case when ${isGood} then good_probes + 1 else 0 end,
      status = case when ${isGood} and good_probes + 1 >= ${GOOD_PROBES_TO_CLOSE} then 'closed' else 'open' end,
      probe_at = case when ${isGood} and good_probes + 1 >= ${GOOD_PROBES_TO_CLOSE} then null else probe_at end,
      updated_at = clock()
    where project_id = ${project_id} and host = ${host} and status = 'open'
    returning status`.execute(ctx.db);
  if (rows[0]?.status !== "closed") return;
  ctx.log.info({ project_id, host }, "the host responds again");
  wake(ctx, CIRCUITS_TOPIC);
  await releaseCircuit(ctx, { project_id, host });
}

async function releaseCircuit(ctx: Ctx, { project_id, host }: HostKey): Promise<void> {
  for (;;) {
    const unblocked = await inTransaction(ctx, (tx) =>
      unblockNext(tx, project_id, new Map([[`circuit:${host}`, PAGE]])),
    );
    if (unblocked < PAGE) return;
  }
}
