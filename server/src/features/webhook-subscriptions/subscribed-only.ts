import { sql } from "kysely";

/**
 * Rows `l` of a log that somebody may want to be told of. Two looks at a small index, and nothing of the log is read
 * while there is no subscription in the whole service.
 */
export const SUBSCRIBED_ONLY = sql`(select exists (select 1 from webhook_subscriptions s where s.enabled))
  and l.project_id = any(array(select s.project_id from webhook_subscriptions s where s.enabled))`;

/** Of each page the objects are read and told at once: their payloads may be large. */
export const PAGE = 10;
