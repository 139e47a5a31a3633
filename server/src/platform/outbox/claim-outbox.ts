import type { Ctx, InTransaction } from "../context.ts";
import { hasKeyOf } from "../database/has-key-of.ts";
import { sql } from "../database/sql.ts";
import { wake } from "../wakeups/wake.ts";
import type { OutboxEntry } from "./enqueue-outbox.ts";

/** Outbox entries queue per project and kind. */
export type OutboxLane = { project_id: string; kind: string };

type ClaimRequest = {
  /** Lanes of the projects after this one. */
  after: string;
  /** The number of lanes to claim from, at most. */
  room: number;
  /** Lanes to skip; busy ones count against the limit of their project. */
  skipped_lanes: readonly (OutboxLane & { is_busy: boolean })[];
  max_per_project: number;
  /**
   * Kinds whose entries are processed in batches, and the batch size. Of other kinds at most `max` entries are
   * claimed.
   */
  batched: { kinds: readonly string[]; max: number };
  max: number;
};

/** `scanned_to`: the last project scanned, if the scan reached its limit. Undefined: there are no projects after it. */
type Claim = { claimed: OutboxEntry[]; scanned_to: string | undefined };
type Row = { scanned_to: string | null } & (OutboxEntry | { kind: null });

const MAX_LANES = 64;
/** Far longer than a batch takes: it expires only if the instance that claimed it died. */
const CLAIM_SECS = 30;

/**
 * Claims the oldest entries of some lanes, one lane of each project before a second of any. A loose index scan that
 * touches one entry per lane: the cost depends on the number of lanes, not of entries. The order of a project's kinds
 * is random, so that none is always last. Entries this instance has claimed but is not processing were left over by a
 * failure, and are claimed again at once. `is true` hides the kind from the planner, which would search the lane of each.
 */
export async function claimOutbox(ctx: Ctx, request: ClaimRequest): Promise<Claim> {
  const { after, room, skipped_lanes, max_per_project, batched, max } = request;
  const { rows } = await sql<Row>`
    /* prepared */
    with recursive walked as (
      select n.*, 1 as nth from (
        select e.project_id, e.kind from outbox e where e.project_id > ${after}::uuid
        order by e.project_id, e.kind limit 1
      ) n
      union all
      select n.*, w.nth + 1 from walked w, lateral (
        select e.project_id, e.kind from outbox e where (e.project_id, e.kind) > (w.project_id, w.kind)
        order by e.project_id, e.kind limit 1
      ) n where w.nth < ${sql.lit(MAX_LANES)} or n.project_id = w.project_id
    ),
    skipped_lanes as materialized (
      select * from json_to_recordset(${JSON.stringify(skipped_lanes)}::json) as x(project_id uuid, kind text, is_busy boolean)
    ),
    open as materialized (
      select w.project_id, w.kind, row_number() over (partition by w.project_id order by random()) + (
        select count(*) from skipped_lanes x where x.project_id = w.project_id and x.is_busy) as nth_of_project
      from walked w, lateral (
        select 1 from outbox e where ${isOf("w")} and ${isClaimable(ctx)}
        order by e.project_id, e.kind, e.created_at limit 1
      ) oldest
      where not exists (select 1 from skipped_lanes x where x.project_id = w.project_id and x.kind = w.kind)
    ),
    chosen as materialized (
      select project_id, kind from open where nth_of_project <= ${max_per_project}
      order by nth_of_project, project_id limit ${room}
    ),
    picked as materialized (
      select e.* from chosen c, lateral (
        select e.project_id, e.transition_id, e.kind, e.target_id from outbox e where ${isOf("c")} and ${isClaimable(ctx)}
        order by e.project_id, e.kind, e.created_at limit case when c.kind = any(${[...batched.kinds]}::text[]) then ${batched.max}::int else ${max}::int end
        for update skip locked
      ) e
    ),
    claimed as (
      update outbox e set claimed_by = ${ctx.instance_id}, claimed_until = clock() + ${CLAIM_SECS} * interval '1 second'
      from picked p where ${hasKeyOf("e", "p", "transition_id", "target_id")} and (e.kind = p.kind) is true
      returning e.project_id, e.transition_id, e.kind, e.target_id, e.detail, e.created_at
    )
    select (select project_id from walked where nth >= ${sql.lit(MAX_LANES)} order by nth desc limit 1) as scanned_to, c.*
    from (select 1) as one left join claimed c on true
    order by c.created_at`.execute(ctx.db);
  const scanned_to = rows[0]?.scanned_to ?? undefined;
  return { claimed: rows.flatMap((row) => (row.kind === null ? [] : [entryOf(row)])), scanned_to };
}

/** Claims of dead instances become claimable at once. */
export async function releaseOutboxOf(ctx: Ctx, instance_ids: readonly string[]): Promise<void> {
  const { rows } = await sql`
    update outbox set claimed_by = null, claimed_until = null
    where claimed_by = any(${[...instance_ids]}::uuid[]) returning project_id`.execute(ctx.db);
  if (rows.length > 0) wake(ctx, "outbox");
}

/** There are entries, claimed or not. */
export const HAS_OUTBOX_ENTRIES = sql`exists (select 1 from outbox)`;

export async function hasOutboxEntries({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql<{ has_entries: boolean }>`select ${HAS_OUTBOX_ENTRIES} as has_entries`.execute(db);
  return rows[0]?.has_entries ?? false;
}

/**
 * Restricts entries to a lane. As a range, which keeps the order of the index (`database/README.md`): with `=` and
 * 200,000 entries a claim took 200 ms.
 */
function isOf(lane: string) {
  const key = sql`(${sql.ref(`${lane}.project_id`)}, ${sql.ref(`${lane}.kind`)})`;
  return sql`(e.project_id, e.kind) >= ${key} and (e.project_id, e.kind) <= ${key}`;
}

function isClaimable(ctx: Ctx) {
  return sql`(e.claimed_until is null or e.claimed_until <= clock() or e.claimed_by = ${ctx.instance_id})`;
}

function entryOf({ project_id, transition_id, kind, target_id, detail }: OutboxEntry): OutboxEntry {
  return { project_id, transition_id, kind, target_id, detail };
}

/**
 * Acks an entry in the transaction that processes it. False: it was processed already, or another instance has claimed
 * it.
 */
export async function ackOutboxEntry(ctx: Ctx & InTransaction, entry: OutboxEntry): Promise<boolean> {
  return (await ackOutboxEntries(ctx, [entry])) > 0;
}

/** The same for many. An entry enqueued again while this instance processed the old one is kept. */
export async function ackOutboxEntries(ctx: Ctx, entries: readonly OutboxEntry[]): Promise<number> {
  const { rows } = await sql`
    delete from outbox e using ${keysOf(entries)}
    where ${isOneOf()} and e.claimed_by = ${ctx.instance_id}
    returning 1`.execute(ctx.db);
  return rows.length;
}

/** Moves it to the end of its lane, to be retried later. */
export async function returnToOutbox(ctx: Ctx, entry: OutboxEntry): Promise<void> {
  await sql`
    update outbox e set created_at = clock(), claimed_by = null, claimed_until = null from ${keysOf([entry])}
    where ${isOneOf()} and e.claimed_by = ${ctx.instance_id}`.execute(ctx.db);
}

function keysOf(entries: readonly OutboxEntry[]) {
  const keys = entries.map(({ project_id, transition_id, kind, target_id }) => ({
    project_id,
    transition_id,
    kind,
    target_id,
  }));
  return sql`json_to_recordset(${JSON.stringify(keys)}::json)
    as g(project_id uuid, transition_id text, kind text, target_id text)`;
}

function isOneOf() {
  return sql`e.project_id = g.project_id and e.transition_id = g.transition_id and e.kind = g.kind
    and e.target_id = g.target_id`;
}
