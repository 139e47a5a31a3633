import { sql } from "../../../platform/database/sql.ts";
import { MAX_COUNTED, type StatePart } from "./state-part.ts";

/** How far the consumers of the changelog are behind, which invariants are violated, and the database server itself. */
export const databaseState: StatePart = {
  tables: sql`
    head as (select h.position, h.scan_after from changelog_head h),
    consumers as materialized (
      select c.consumer, greatest(h.position - c.position, 0) as rows_behind, coalesce(
          (select l.created_at from changelog l where l.position > c.position order by l.position limit 1),
          (select i.created_at from changelog_inbox i where i.id > h.scan_after order by i.id limit 1)
        ) as unread_at
      from log_cursors c cross join head h where c.counted_to is null
    )`,
  rows: sql`
    select 'changelog_inbox_rows', '{}'::jsonb, count(*)::float8 from (
      select i.id from changelog_inbox i where i.id > (select scan_after from head)
      order by i.id limit ${sql.lit(MAX_COUNTED)}
    ) i
    union all
    select 'changelog_lag_rows', jsonb_build_object('consumer', consumer), rows_behind from consumers
    union all
    select 'changelog_lag_seconds', jsonb_build_object('consumer', consumer),
      greatest(coalesce(extract(epoch from clock() - unread_at), 0), 0)::float8 from consumers
    union all
    select 'invariant_violations', jsonb_build_object('invariant', name), violations from invariants
    union all
    select 'database_size_bytes', '{}', pg_database_size(current_database())
    union all
    select 'database_connections', '{}', (select sum(numbackends) from pg_stat_database)
    union all
    select 'database_max_connections', '{}', current_setting('max_connections')::float8
    union all
    select 'database_oldest_transaction_seconds', '{}',
      coalesce(extract(epoch from statement_timestamp() - min(a.xact_start)), 0)::float8
    from pg_stat_activity a where a.datname = current_database() and a.backend_type = 'client backend'`,
};
