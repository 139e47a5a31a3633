import { sql } from "kysely";

/** There are active canaries with automatic promotion. */
export const HAS_AUTOMATIC_CANARIES = sql`exists (
  select c.project_id from canaries c where c.status = 'active' and c.auto_promote_config is not null)`;
