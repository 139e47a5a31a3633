import type { SetUsageEmailPreferences } from "@millrace/contract/usage";
import { sql } from "kysely";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { recordAudit } from "../../platform/ledger/record-audit.ts";
import { ownEmail, recipientOf } from "./email-recipient.ts";

/** Without an address the one given before stays; a member's first is that of the token. */
export async function setEmailPreferences(ctx: ProjectCtx, body: SetUsageEmailPreferences): Promise<object> {
  const { monthly_usage_email, email } = body;
  const caller = recipientOf(ctx.caller);
  await inTransaction(ctx, async (tx) => {
    const { rows } = await sql<{ email: string | null }>`
      insert into usage_email_preferences as p (project_id, caller, monthly_usage_email, email, created_at, updated_at)
      values (${tx.project_id}, ${caller}, ${monthly_usage_email}, ${email ?? ownEmail(ctx.caller)}, clock(), clock())
      on conflict (project_id, caller) do update set monthly_usage_email = excluded.monthly_usage_email,
        email = case when ${email !== undefined} then excluded.email else coalesce(p.email, excluded.email) end,
        updated_at = case when p.monthly_usage_email and excluded.monthly_usage_email then p.updated_at else clock() end
      returning p.email`.execute(tx.db);
    await recordAudit(tx, {
      action: "usage_email_preferences.updated",
      resource_type: "usage_email_preferences",
      resource_id: caller,
      after: { monthly_usage_email, email: rows[0]?.email ?? null },
    });
  });
  return {};
}
