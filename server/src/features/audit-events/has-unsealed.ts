import { sql } from "kysely";

/** An event has no number in its chain yet. */
export const HAS_UNSEALED_EVENTS = sql`(
  select e.project_id from audit_events e where e.chain_no is null order by e.created_at, e.id limit 1) is not null`;
