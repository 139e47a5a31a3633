import type { Actor } from "../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { hasKeyOf } from "../../platform/database/has-key-of.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { LIVE_STATUSES } from "../runs/states.ts";
import { prefixRange } from "./event-keys.ts";
import type { Sender } from "./find-trigger.ts";

/** An event that was sent, or many by their prefix. */
export type CancelingEvent = Sender & {
  project_id: string;
  /** The id of the send: each run is canceled once per send. */
  send_id: string;
  event_key: string;
  is_prefix: boolean;
  /** The sender reaches only runs of this environment. */
  environment_id?: string | null | undefined;
  /** Later runs are not canceled. Absent: now. */
  sent_at?: string;
};

export type CanceledOwner = { owner_kind: "run" | "workflow_run"; owner_id: string };

const PAGE = 1_000;

/**
 * Finds the runs that an event cancels by the `cancel_on` of their job or workflow: writes outbox entries for their
 * cancellations in the sender's transaction, and deletes the keys. More than a page is left to an outbox entry of its
 * own, which continues from here.
 */
export async function consumeCancelKeys(tx: Ctx & InTransaction, event: CancelingEvent): Promise<CanceledOwner[]> {
  const { project_id, send_id } = event;
  const { rows } = await sql<CanceledOwner>`
    with held as materialized (
      select k.owner_id from cancel_keys k
      where k.project_id = ${project_id} and ${matching(event)}
      order by k.event_key, k.owner_id limit ${PAGE} for update
    ),
    taken as (
      -- By an array: a join would be a nested loop over the page and every key of the event. An owner with several keys
      -- under the prefix loses all of them, and is canceled once.
      delete from cancel_keys k
      where k.project_id = ${project_id} and ${keyed(event)} and k.owner_id = any(array(select owner_id from held))
      returning k.event_key, k.owner_id, k.owner_kind
    ),
    live as (
      select distinct on (t.owner_id) t.* from taken t cross join lateral (
        select r.status from runs r where t.owner_kind = 'run' and r.project_id = ${project_id} and r.id = t.owner_id
        union all
        select w.status from workflow_runs w
        where t.owner_kind = 'workflow_run' and w.project_id = ${project_id} and w.id = t.owner_id offset 0
      ) o
      where o.status = any(${LIVE_STATUSES}::text[]) order by t.owner_id
    ),
    caused as (
      insert into outbox (project_id, transition_id, kind, target_id, detail, created_at)
      select ${project_id}::uuid, 'event:' || ${send_id}::text, 'cancel_' || owner_kind, owner_id::text,
        jsonb_build_object('reason', ${reason(event)}, 'by', ${JSON.stringify(senderOf(event))}::jsonb), clock()
      from live on conflict (project_id, transition_id, kind, target_id) do nothing
    ),
    rest as (
      insert into outbox (project_id, transition_id, kind, target_id, detail, created_at)
      select ${project_id}::uuid, 'event:' || ${send_id}::text, 'cancel_on', ${event.event_key}::text,
        ${JSON.stringify(event)}::jsonb || jsonb_build_object('sent_at', coalesce(${event.sent_at ?? null}::timestamptz, clock())),
        clock()
      where (select count(*) from held) = ${PAGE}
      on conflict (project_id, transition_id, kind, target_id) do nothing
    )
    select owner_kind, owner_id from live order by owner_id`.execute(tx.db);
  if (rows.length > 0) wake(tx, "outbox");
  return rows;
}

/** Whether it cancels anything: most events do not, and cost only this query. */
export async function hasCancelKeys(
  ctx: Ctx,
  { project_id, event_key }: { project_id: string; event_key: string },
): Promise<boolean> {
  const { rows } = await sql`
    /* prepared */
    select 1 from cancel_keys k where k.project_id = ${project_id} and k.event_key = ${event_key} limit 1`.execute(
    ctx.db,
  );
  return rows.length > 0;
}

/** How many it would cancel, without doing so. */
export async function countCanceled(
  ctx: Ctx,
  event: Pick<CancelingEvent, "project_id" | "event_key" | "is_prefix" | "environment_id">,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct k.owner_id)::int as count from cancel_keys k
    where k.project_id = ${event.project_id} and ${matching(event)}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

/** Of `cancel_keys k`; the statement itself adds the project. */
function matching(event: Pick<CancelingEvent, "event_key" | "is_prefix" | "environment_id" | "sent_at">): Sql {
  const { environment_id, sent_at } = event;
  return sql`${keyed(event)}
    ${environment_id == null ? sql`` : sql`and k.environment_id = ${environment_id}`}
    ${sent_at === undefined ? sql`` : sql`and k.created_at <= ${sent_at}::timestamptz`}`;
}

function keyed({ event_key, is_prefix }: Pick<CancelingEvent, "event_key" | "is_prefix">): Sql {
  if (!is_prefix) return sql`k.event_key = ${event_key}`;
  const { start, end } = prefixRange(event_key);
  return sql`k.event_key >= ${start} ${end === null ? sql`` : sql`and k.event_key < ${end}`}`;
}

function senderOf({ sent_by, sent_by_id = null }: CancelingEvent): Actor {
  return { id: sent_by_id, name: sent_by };
}

function reason({ sent_by }: CancelingEvent): Sql {
  return sql`'Canceled by the event ' || event_key || ', sent by ' || ${sent_by}::text || '.'`;
}

const SWEPT_PER_PASS = 500;
const IS_LOOKED_AT = hasKeyOf("k", "l", "event_key", "owner_id");

/**
 * Removes the cancel keys of ended runs: the end itself does not search for them, since most runs have none. An active
 * run is checked again when it is twice as old, so a long run costs a few checks. A workflow run may be retried after
 * its end: its keys stay as long as it does.
 */
export async function sweepCancelKeys(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql`
    with due as (
      select k.project_id, k.event_key, k.owner_id, k.owner_kind from cancel_keys k
      where k.check_at <= clock() order by k.check_at limit ${SWEPT_PER_PASS} for update skip locked
    ),
    looked as materialized (
      select d.project_id, d.event_key, d.owner_id, coalesce(r.status = any(${LIVE_STATUSES}::text[]), w.id is not null, false) as is_kept from due d
      left join lateral (
        select r.status from runs r where d.owner_kind = 'run' and r.project_id = d.project_id and r.id = d.owner_id offset 0
      ) r on true
      left join lateral (
        select w.id from workflow_runs w
        where d.owner_kind = 'workflow_run' and w.project_id = d.project_id and w.id = d.owner_id offset 0
      ) w on true
    ),
    removed as (
      delete from cancel_keys k using looked l where ${IS_LOOKED_AT} and not l.is_kept
    ),
    kept as (
      update cancel_keys k set check_at = clock() + (clock() - k.created_at) + interval '1 minute'
      from looked l where ${IS_LOOKED_AT} and l.is_kept
    )
    select 1 from due`.execute(ctx.db);
  return rows.length === SWEPT_PER_PASS;
}
