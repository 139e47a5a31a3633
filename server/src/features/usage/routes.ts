import { isDeepStrictEqual } from "node:util";
import {
  Empty,
  SetUsageEmailPreferences,
  UsageEmailPreferences,
  UsageHistory,
  UsageHistoryQuery,
  UsagePeriod,
} from "@millrace/contract/analytics/usage";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { listUsage, ownEmail, presentUsage, readUsage, recipientOf } from "./queries.ts";

export const usageRoutes: Route[] = [
  projectRoute("GET /v1/usage/current", {
    summary: "Get the usage of the current billing period",
    scope: "usage:read",
    response: UsagePeriod,
    run: (ctx) => getCurrentUsage(ctx),
  }),
  projectRoute("GET /v1/usage/history", {
    summary: "List the usage of billing periods, newest first",
    scope: "usage:read",
    query: UsageHistoryQuery,
    response: UsageHistory,
    run: (ctx, { query }) => listUsageHistory(ctx, query),
  }),
  projectRoute("GET /v1/usage/email-preferences", {
    summary: "Get the caller's preferences for the monthly usage e-mail",
    scope: "usage:read",
    response: UsageEmailPreferences,
    run: (ctx) => getEmailPreferences(ctx),
  }),
  projectRoute("PUT /v1/usage/email-preferences", {
    summary: "Set the caller's preferences for the monthly usage e-mail",
    scope: "usage:write",
    body: SetUsageEmailPreferences,
    response: Empty,
    run: (ctx, { body }) => setEmailPreferences(ctx, body),
  }),
];

async function getCurrentUsage(ctx: ProjectCtx): Promise<UsagePeriod> {
  return presentUsage(await readUsage(ctx, ctx.project_id));
}

async function listUsageHistory(ctx: ProjectCtx, query: UsageHistoryQuery) {
  const page = readPage(ctx, "usage", query, "u");
  const { data, ...rest } = presentPage(ctx, page, await listUsage(ctx, page));
  return { data: data.map(presentUsage), ...rest };
}

/** Without an address the previous one stays; a member's first one comes from the token. */
async function setEmailPreferences(ctx: ProjectCtx, body: SetUsageEmailPreferences): Promise<object> {
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

type Preferences = Pick<UsageEmailPreferences, "monthly_usage_email" | "email">;

async function getEmailPreferences(ctx: ProjectCtx): Promise<UsageEmailPreferences> {
  const { rows } = await sql<Preferences>`
    select monthly_usage_email, email from usage_email_preferences
    where project_id = ${ctx.project_id} and caller = ${recipientOf(ctx.caller)}`.execute(ctx.db);
  const preferences = rows[0] ?? { monthly_usage_email: false, email: ownEmail(ctx.caller) };
  return { ...preferences, is_mail_configured: ctx.config.mail !== undefined };
}
