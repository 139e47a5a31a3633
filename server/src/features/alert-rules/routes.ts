import { AlertChannelTest } from "@millrace/contract/alerts/alert-channels";
import {
  AlertRule,
  AlertRuleList,
  AlertRulePreview,
  AlertRuleTest,
  CreateAlertRule,
  ListAlertRulesQuery,
  SilenceAlertRule,
  UpdateAlertRule,
} from "@millrace/contract/alerts/alert-rules";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createRule } from "./create-rule.ts";
import { closeAlert } from "./evaluate/write-step.ts";
import { previewRule } from "./preview/preview-rule.ts";
import { findRule, listRules, lockRule, presentRule } from "./queries.ts";
import { testChannel } from "./test-channel.ts";
import { testRule } from "./test-rule.ts";
import { updateRule } from "./update-rule.ts";

const foundBy = { table: "alert_rules", param: "alertRuleID" } as const;

export const alertRuleRoutes: Route[] = [
  projectRoute("POST /v1/alert-rules", {
    summary: "Create an alert rule",
    scope: "alerts:write",
    body: CreateAlertRule,
    response: AlertRule,
    status: 201,
    errors: ["conflict"],
    run: (ctx, { body }) => createRule(ctx, body),
  }),
  projectRoute("POST /v1/alert-rules/preview", {
    summary: "Show when an alert rule would have fired in the last week; creates nothing",
    scope: "alerts:read",
    limit: "trigger",
    body: CreateAlertRule,
    response: AlertRulePreview,
    run: (ctx, { body }) => previewRule(ctx, body),
  }),
  projectRoute("GET /v1/alert-rules", {
    summary: "List alert rules and their states",
    scope: "alerts:read",
    query: ListAlertRulesQuery,
    response: AlertRuleList,
    run: async (ctx, { query }) => {
      const page = readPage(ctx, "alert-rules", query, "r");
      const { data, ...rest } = presentPage(ctx, page, await listRules(ctx, page, query));
      return { data: data.map(presentRule), ...rest };
    },
  }),
  projectRoute("GET /v1/alert-rules/{alertRuleID}", {
    summary: "Get an alert rule",
    scope: "alerts:read",
    foundBy,
    response: AlertRule,
    run: async (ctx, { params }) => presentRule(await findRule(ctx, params.alertRuleID)),
  }),
  projectRoute("PATCH /v1/alert-rules/{alertRuleID}", {
    summary: "Update an alert rule",
    scope: "alerts:write",
    foundBy,
    body: UpdateAlertRule,
    response: AlertRule,
    run: (ctx, { params, body }) => updateRule(ctx, params.alertRuleID, body),
  }),
  projectRoute("DELETE /v1/alert-rules/{alertRuleID}", {
    summary: "Delete an alert rule; its alert is resolved",
    scope: "alerts:write",
    foundBy,
    run: (ctx, { params }) => deleteRule(ctx, params.alertRuleID),
  }),
  projectRoute("POST /v1/alert-rules/{alertRuleID}/silence", {
    summary: "Silence an alert rule for a while",
    scope: "alerts:write",
    foundBy,
    body: SilenceAlertRule,
    response: AlertRule,
    run: (ctx, { params, body }) => silenceRule(ctx, params.alertRuleID, body),
  }),
  projectRoute("POST /v1/alert-rules/{alertRuleID}/test", {
    summary: "Evaluate an alert rule now, and send a test notification to its channels",
    scope: "alerts:write",
    foundBy,
    limit: "trigger",
    response: AlertRuleTest,
    run: (ctx, { params }) => testRule(ctx, params.alertRuleID),
  }),
  projectRoute("POST /v1/alert-channels/{alertChannelID}/test", {
    summary: "Send a test notification to an alert channel",
    scope: "alerts:write",
    foundBy: { table: "alert_channels", param: "alertChannelID" },
    limit: "trigger",
    response: AlertChannelTest,
    run: (ctx, { params }) => testChannel(ctx, params.alertChannelID),
  }),
];

const audited = (id: string) => ({ resource_type: "alert_rule", resource_id: id }) as const;

async function deleteRule(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const row = await lockRule(tx, id);
    if (row.alert_id !== null) await closeAlert(tx, row, "rule_deleted");
    await sql`delete from alert_rules where project_id = ${tx.project_id} and id = ${id}`.execute(tx.db);
    await recordAudit(tx, { action: "alert_rule.deleted", ...audited(id), before: presentRule(row) });
  });
}

/** Raises the revision, so that an evaluation that began before the silence notifies nobody. */
async function silenceRule(ctx: ProjectCtx, id: string, { duration_secs }: SilenceAlertRule): Promise<AlertRule> {
  return inTransaction(ctx, async (tx) => {
    const before = presentRule(await lockRule(tx, id));
    await sql`
      update alert_rules set revision = revision + 1, silenced_until = case when ${duration_secs}::int > 0
        then clock() + ${duration_secs}::int * interval '1 second' end
      where project_id = ${tx.project_id} and id = ${id}`.execute(tx.db);
    const after = presentRule(await findRule(tx, id));
    await recordAudit(tx, { action: "alert_rule.silenced", ...audited(id), before, after });
    return after;
  });
}
