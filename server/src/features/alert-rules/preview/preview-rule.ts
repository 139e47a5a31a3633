import type { AlertRulePreview, CreateAlertRule } from "@millrace/contract/alerts/alert-rules";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { checkRule, defaultsOf } from "../check-rule.ts";
import { evaluateRule } from "../evaluate/evaluate-rule.ts";
import { readFacts } from "../evaluate/read-facts.ts";
import { unsavedRule } from "../unsaved-rule.ts";
import { readHistory } from "./read-history.ts";
import { replayRule } from "./replay-rule.ts";

const MAX_ALERTS = 100;

/** Evaluates a rule, stored or not, over the past. */
export async function previewRule(
  ctx: ProjectCtx,
  { project_id: _, kind, ...given }: CreateAlertRule,
): Promise<AlertRulePreview> {
  const settings = await inTransaction(ctx, (tx) => checkRule(tx, defaultsOf(kind), given));
  const untilMs = ctx.watch.nowMs();
  const until = new Date(untilMs).toISOString();
  const rule = unsavedRule(ctx.project_id, { ...settings, name: given.name });
  const { value, isBreached } = evaluateRule(rule, await readFacts(ctx, ctx.project_id, [rule], until));
  const history = await readHistory(ctx, rule, untilMs);
  const { alerts, points, notifications } = history
    ? await replayRule(rule, history, untilMs)
    : { alerts: [], points: [], notifications: 0 };
  return {
    ...{ value, would_fire: isBreached, has_history: history !== undefined },
    ...{ from: new Date(history?.fromMs ?? untilMs).toISOString(), until, points },
    ...{ alert_count: alerts.length, notification_count: notifications, alerts: alerts.slice(-MAX_ALERTS) },
  };
}
