import { sql } from "kysely";

/**
 * Rows `l` of a log that may have subscribers. Costs two lookups in a small index, and does not read the log while the
 * whole service has no subscription.
 */
export const SUBSCRIBED_ONLY = sql`(select exists (select 1 from webhook_subscriptions s where s.enabled))
  and l.project_id = any(array(select s.project_id from webhook_subscriptions s where s.enabled))`;

/** Objects are read and published in pages, because their payloads may be large. */
export const PAGE = 10;
