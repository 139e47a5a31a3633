import type { UsageEmailPreferences } from "@millrace/contract/usage";
import { sql } from "kysely";
import type { ProjectCtx } from "../../platform/context.ts";
import { ownEmail, recipientOf } from "./email-recipient.ts";

type Preferences = Pick<UsageEmailPreferences, "monthly_usage_email" | "email">;

export async function getEmailPreferences(ctx: ProjectCtx): Promise<UsageEmailPreferences> {
  const { rows } = await sql<Preferences>`
    select monthly_usage_email, email from usage_email_preferences
    where project_id = ${ctx.project_id} and caller = ${recipientOf(ctx.caller)}`.execute(ctx.db);
  const preferences = rows[0] ?? { monthly_usage_email: false, email: ownEmail(ctx.caller) };
  return { ...preferences, is_mail_configured: ctx.config.mail !== undefined };
}
