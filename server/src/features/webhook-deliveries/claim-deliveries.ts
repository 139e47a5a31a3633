import { appendStates } from "../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { hasKeyOf } from "../../platform/database/has-key-of.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import {
  CLAIM_SECS,
  MAX_ATTEMPTS,
  MAX_PER_HOST,
  MAX_PER_PROJECT,
  MAX_UNPROVEN_PER_PROJECT,
  SLOW_AFTER_MS,
} from "./delivery-rules.ts";
import type { Receiver } from "./find-due-receivers.ts";

/** A delivery that no other instance may send until its claim expires. */
export type ClaimedDelivery = {
  project_id: string;
  id: string;
  url: string;
  host: string;
  body: string;
  attempt: number;
  claim_token: string;
  /** Null: the URL comes from the wait's notify_url. */
  subscription_id: string | null;
  /** Null: it is sent to `url`. */
  channel_id: string | null;
  event_type: string;
  source_id: string;
  /** Null: the delivery's own id. */
  event_id: string | null;
  /** It was sent before, by an earlier attempt or before a manual retry. */
  is_retry: boolean;
};

/** `is_proven`: it is known to respond. */
export type RatedReceiver = Receiver & { is_proven: boolean };
export type Room = { proven: number; unproven: number };

type Claim = {
  claimed: ClaimedDelivery[];
  /** More is due for these receivers, but a host has no free slot or this instance has no capacity. */
  isMore: boolean;
};

/** Releases the claims of instances that are gone: their deliveries are due at once. */
export async function releaseDeliveriesOf(ctx: Ctx, instance_ids: readonly string[]): Promise<void> {
  const { rows } = await sql`
    with released as (
      update webhook_deliveries set next_attempt_at = clock(), prev_status = status
      where claim_token is not null and status = 'pending' and claimed_by = any(${[...instance_ids]}::uuid[])
        and next_attempt_at > clock()
      returning project_id, id
    ),
    ${appendStates("webhook_delivery", sql`released`)}
    select 1 from released`.execute(ctx.db);
  if (rows.length === 0) return;
  changesAppended(ctx, "webhook_delivery");
  wake(ctx, "deliveries");
}

const SILENT = "The sending instance stopped before it recorded a response.";

/**
 * Claims due deliveries for these receivers within the given capacity, and counts an attempt for each. Skips hosts for
 * which another instance is claiming, so that the limit per host holds across all instances.
 */
export async function claimDeliveries(ctx: Ctx, receivers: readonly RatedReceiver[], room: Room): Promise<Claim> {
  if (receivers.length === 0) return { claimed: [], isMore: false };
  return inTransaction(ctx, async (tx) => {
    const mine = await lockHosts(tx, [...new Set(receivers.map((receiver) => receiver.host))]);
    const open = receivers.filter((receiver) => mine.has(receiver.host));
    return open.length === 0 ? { claimed: [], isMore: true } : claimFrom(tx, open, room);
  });
}

/** A separate statement, so that the next one sees the claims of the previous lock holders. */
async function lockHosts(tx: Ctx & InTransaction, hosts: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ host: string }>`
    /* prepared */
    select h.host from unnest(${hosts}::text[]) as h(host)
    where pg_try_advisory_xact_lock(hashtextextended('webhooks to ' || h.host, 0))`.execute(tx.db);
  return new Set(rows.map(({ host }) => host));
}

/** The time left on a claim whose receiver has become slow. */
const SLOW_AFTER = sql`${CLAIM_SECS * 1_000 - SLOW_AFTER_MS} * interval '1 millisecond'`;

type Row = { seen: number } & (ClaimedDelivery | { id: null });

/**
 * Fair queuing: the project with the fewest deliveries in flight goes first, then the host with the fewest; the
 * projects of one host alternate. A host that does not respond fills only its own slots. Unproven receivers have
 * separate slots, and slow ones lose theirs. A delivery whose last attempt was claimed by a silent instance has failed:
 * it is not sent a sixth time.
 */
async function claimFrom(tx: Ctx & InTransaction, receivers: readonly RatedReceiver[], room: Room): Promise<Claim> {
  const { rows } = await sql<Row>`
    /* prepared */
    with receivers as materialized (
      select * from json_to_recordset(${JSON.stringify(receivers)}::json) as r(project_id uuid, host text, is_proven boolean)
    ),
    sending as materialized (
      select d.project_id, d.host, d.next_attempt_at <= clock() + ${SLOW_AFTER} as is_slow, r.host is null as is_unproven
      from webhook_deliveries d left join (select distinct host from receivers where is_proven) r on r.host = d.host
      where d.claim_token is not null and d.next_attempt_at > clock()
    ),
    at_hosts as materialized (select s.host, count(*) as sending from sending s group by s.host),
    in_projects as materialized (
      select s.project_id, count(*) as sending, count(*) filter (where s.is_unproven) as unproven
      from sending s where not s.is_slow group by s.project_id
    ),
    due as materialized (
      select d.*, row_number() over (partition by d.project_id, d.host order by d.next_attempt_at, d.id) as nth
      from receivers r, lateral (
        select d.project_id, d.id, d.host, r.is_proven, d.next_attempt_at, d.attempts, d.claim_token
        from webhook_deliveries d
        where d.project_id = r.project_id and d.host = r.host and d.status = 'pending' and d.next_attempt_at <= clock()
        order by d.next_attempt_at limit ${MAX_PER_HOST + 1}
      ) d
    ),
    by_host as materialized (
      select d.*, row_number() over (partition by d.host order by d.nth, d.next_attempt_at, d.id)
        + coalesce(h.sending, 0) as at_host
      from due d left join at_hosts h on h.host = d.host where d.attempts < ${MAX_ATTEMPTS}
    ),
    by_project as materialized (
      select d.*, row_number() over (partition by d.project_id, d.is_proven order by d.at_host, d.next_attempt_at, d.id)
        + coalesce(case when d.is_proven then p.sending else p.unproven end, 0) as in_project
      from by_host d left join in_projects p on p.project_id = d.project_id where d.at_host <= ${MAX_PER_HOST}
    ),
    chosen as materialized (
      (select d.project_id, d.id, gen_random_uuid() as token from by_project d where d.is_proven and d.in_project <= ${MAX_PER_PROJECT}
       order by d.in_project, d.at_host, d.next_attempt_at, d.id limit ${room.proven})
      union all
      (select d.project_id, d.id, gen_random_uuid() from by_project d where not d.is_proven and d.in_project <= ${MAX_UNPROVEN_PER_PROJECT}
       order by d.in_project, d.at_host, d.next_attempt_at, d.id limit ${room.unproven})
    ),
    claimed as (
      update webhook_deliveries d set attempts = d.attempts + 1, claim_token = t.token,
        claimed_by = ${tx.instance_id}, prev_status = d.status,
        next_attempt_at = clock() + ${CLAIM_SECS} * interval '1 second', updated_at = clock()
      from chosen t where ${hasKeyOf("d", "t", "id")} and d.status = 'pending' and d.next_attempt_at <= clock()
      returning d.project_id, d.id, d.url, d.host, d.body, d.subscription_id, d.channel_id, d.event_id, d.event_type,
        d.source_id, d.attempts as attempt, d.claim_token
    ),
    given_up as (
      update webhook_deliveries d set prev_status = d.status, status = 'failed', claim_token = null,
        next_attempt_at = null, last_status_code = null, last_error = ${SILENT}, failed_at = clock(), updated_at = clock()
      from due t where ${hasKeyOf("d", "t", "id")} and t.attempts >= ${MAX_ATTEMPTS}
        and d.status = 'pending' and d.next_attempt_at <= clock()
      returning d.project_id, d.id
    ),
    ${appendStates(
      "webhook_delivery",
      sql`(select project_id, id from claimed union all select project_id, id from given_up) as changed`,
    )},
    lost as (
      update webhook_attempts a set error = ${SILENT}, outcome = 'lost', finished_at = clock()
      from due join (select id from claimed union all select id from given_up) taken on taken.id = due.id
      where a.project_id = due.project_id and a.id = due.claim_token and a.finished_at is null
    ),
    begun as (
      insert into webhook_attempts (project_id, id, delivery_id, url, attempt, started_at)
      select c.project_id, c.claim_token, c.id, c.url, c.attempt, clock() from claimed c
    )
    select t.seen, c.project_id, c.id, c.url, c.host, c.body, c.subscription_id, c.channel_id, c.event_id,
      c.event_type, c.source_id, c.attempt, c.claim_token, exists (
        select 1 from webhook_attempts a where a.project_id = c.project_id and a.delivery_id = c.id
      ) as is_retry
    from (select count(*)::int as seen from by_host) t left join claimed c on true`.execute(tx.db);
  changesAppended(tx, "webhook_delivery");
  const claimed = rows.filter((row) => row.id !== null);
  return { claimed, isMore: (rows[0]?.seen ?? 0) > claimed.length };
}
