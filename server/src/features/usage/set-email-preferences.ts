import { isDeepStrictEqual } from "node:util";
import type { SetUsageEmailPreferences } from "@millrace/contract/usage";
import { sql } from "kysely";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { ownEmail, recipientOf } from "./email-recipient.ts";
import { getEmailPreferences } from "./get-email-preferences.ts";

/** Without an address the previous one stays; a member's first one comes from the token. */
export async function setEmailPreferences(ctx: ProjectCtx, body: SetUsageEmailPreferences): Promise<object> {
  const { monthly_usage_email } = body;
  const caller = recipientOf(ctx.caller);
  await inTransaction(ctx, async (tx) => {
    const { is_mail_configured: _, ...before } = await getEmailPreferences(tx);
    const email = body.email === undefined ? (before.email ?? ownEmail(ctx.caller)) : body.email;
    const after = { monthly_usage_email, email };
    if (isDeepStrictEqual(after, before)) return;
    if (monthly_usage_email && body.email === null) {
      throw invalid("body.email", "is required: without an address the monthly e-mail cannot be sent", null);
    }
    await sql`
      insert into usage_email_preferences as p (project_id, caller, monthly_usage_email, email, created_at, updated_at)
      values (${tx.project_id}, ${caller}, ${monthly_usage_email}, ${email}, clock(), clock())
      on conflict (project_id, caller) do update set monthly_usage_email = excluded.monthly_usage_email,
        email = excluded.email,
        updated_at = case when p.monthly_usage_email and excluded.monthly_usage_email then p.updated_at else clock() end`.execute(
      tx.db,
    );
    await recordAudit(tx, {
      action: "usage_email_preferences.updated",
      resource_type: "usage_email_preferences",
      resource_id: caller,
      before,
      after,
    });
  });
  return {};
}
