import { sql } from "../../../platform/database/sql.ts";
import { MAX_COUNTED, MAX_LANES, type StatePart } from "./state-part.ts";

/** Webhook deliveries by receiver and outbox entries by lane, counted in equal shares like the backlog of runs. */
export const deliveryState: StatePart = {
  tables: sql`
    receivers as (
      select n.*, 1 as nth from (
        select d.project_id, d.host from webhook_deliveries d where d.status = 'pending'
        order by d.project_id, d.host, d.next_attempt_at limit 1
      ) n
      union all
      select n.*, r.nth + 1 from receivers r, lateral (
        select d.project_id, d.host from webhook_deliveries d
        where d.status = 'pending' and (d.project_id, d.host) > (r.project_id, r.host)
        order by d.project_id, d.host, d.next_attempt_at limit 1
      ) n where r.nth < ${sql.lit(MAX_LANES)}
    ),
    deliveries as materialized (
      select count(*) as pending, count(*) filter (where d.next_attempt_at <= clock()) as due,
        min(d.next_attempt_at) as next_at, min(d.created_at) as oldest_at
      from receivers r cross join lateral (
        select d.next_attempt_at, d.created_at from webhook_deliveries d
        where d.project_id = r.project_id and d.host = r.host and d.status = 'pending'
        order by d.next_attempt_at
        limit (select ${sql.lit(MAX_COUNTED)} / greatest(count(*), 1) from receivers)
      ) d
    ),
    outbox_lanes as (
      select n.*, 1 as nth from (
        select e.project_id, e.kind from outbox e order by e.project_id, e.kind, e.created_at limit 1
      ) n
      union all
      select n.*, l.nth + 1 from outbox_lanes l, lateral (
        select e.project_id, e.kind from outbox e where (e.project_id, e.kind) > (l.project_id, l.kind)
        order by e.project_id, e.kind, e.created_at limit 1
      ) n where l.nth < ${sql.lit(MAX_LANES)}
    ),
    entries as materialized (
      select l.kind, count(*) as count, min(e.created_at) as oldest_at
      from outbox_lanes l cross join lateral (
        select e.created_at from outbox e
        where (e.project_id, e.kind) >= (l.project_id, l.kind) and (e.project_id, e.kind) <= (l.project_id, l.kind)
        order by e.project_id, e.kind, e.created_at
        limit (select ${sql.lit(MAX_COUNTED)} / greatest(count(*), 1) from outbox_lanes)
      ) e group by 1
    )`,
  rows: sql`
    select 'webhook_deliveries_pending', '{"state": "due"}'::jsonb, due::float8 from deliveries
    union all
    select 'webhook_deliveries_pending', '{"state": "later"}', pending - due from deliveries
    union all
    select 'webhook_oldest_pending_seconds', '{}', greatest(extract(epoch from clock() - oldest_at), 0)::float8
    from deliveries
    union all
    select 'webhook_overdue_seconds', '{}', greatest(extract(epoch from clock() - next_at), 0)::float8 from deliveries
    union all
    select 'outbox_entries', jsonb_build_object('kind', kind), count from entries
    union all
    select 'outbox_oldest_seconds', jsonb_build_object('kind', kind),
      greatest(extract(epoch from clock() - oldest_at), 0)::float8 from entries`,
};
