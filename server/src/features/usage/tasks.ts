import { PERIOD } from "../../flow/budget/lock-budgets.ts";
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { Task } from "../../platform/task.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { STILL_HAS_ACCESS } from "./queries.ts";
import { HAS_DUE_EMAILS, sendUsageEmails } from "./send-usage-emails.ts";

export const usageTasks: Task[] = [
  { name: "plan-usage-emails", everyMs: 60_000, oneInstance: true, runOnce: planUsageEmails },
  {
    name: "send-usage-emails",
    everyMs: 10_000,
    oneInstance: false,
    wakeOn: "usage-emails",
    hasWork: HAS_DUE_EMAILS,
    runOnce: sendUsageEmails,
  },
];

const PAGE = 500;
const AFTER_HOURS = 1; // dispatches that ended in the old month may be counted until then

/**
 * Plans an e-mail about the previous month for each subscriber at the end of that month. Idempotent: one e-mail for
 * each period and address. Plans nothing if the service cannot send e-mail.
 */
export async function planUsageEmails(ctx: Ctx): Promise<boolean> {
  if (!ctx.config.mail) return false;
  const before = sql`((${PERIOD} at time zone 'UTC' - interval '1 month') at time zone 'UTC')`;
  const { rows } = await sql`
    insert into usage_emails (project_id, period_starts_at, email, status, next_try_at, created_at)
    select w.project_id, ${before}, w.email, 'pending', clock(), clock() from (
      select distinct p.project_id, p.email from usage_email_preferences p
      join projects o on o.id = p.project_id and o.deleted_at is null
      where p.monthly_usage_email and p.email is not null and p.updated_at < ${PERIOD} and ${STILL_HAS_ACCESS}
        and clock() >= ${PERIOD} + ${AFTER_HOURS} * interval '1 hour' and not exists (
          select 1 from usage_emails e
          where e.project_id = p.project_id and e.period_starts_at = ${before} and e.email = p.email)
      limit ${PAGE}
    ) w
    on conflict (project_id, period_starts_at, email) do nothing
    returning project_id`.execute(ctx.db);
  if (rows.length > 0) wake(ctx, "usage-emails");
  return rows.length === PAGE;
}
