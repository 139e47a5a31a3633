import type { AlertRuleTest } from "@millrace/contract/alerts/alert-rules";
import type { Alert } from "@millrace/contract/alerts/alerts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { evaluateRule, type Reading } from "./evaluate/evaluate-rule.ts";
import { readFacts } from "./evaluate/read-facts.ts";
import { describeAlert } from "./notify/describe-alert.ts";
import { notifyChannels } from "./notify/notify-channels.ts";
import { findRule, type RuleRow } from "./queries.ts";

/** Evaluates the rule as it is now, disabled or not, and changes nothing of it. */
export async function testRule(ctx: ProjectCtx, id: string): Promise<AlertRuleTest> {
  const rule = await findRule(ctx, id);
  const now = new Date(ctx.watch.nowMs()).toISOString();
  const reading = evaluateRule(rule, await readFacts(ctx, ctx.project_id, [rule], now));
  const summary = await describeAlert(ctx, rule, reading);
  const delivery_ids = await inTransaction(ctx, (tx) =>
    notifyChannels(tx, rule, sampleAlert(rule, reading, summary, now), "alert.test"),
  );
  return { value: reading.value, would_fire: reading.isBreached, delivery_ids };
}

export function sampleAlert(rule: RuleRow, { value, detail }: Reading, summary: string, now: string): Alert {
  const { project_id, id: rule_id, name: rule_name, kind, environment_id, threshold } = rule;
  return {
    ...{ id: newId(), project_id, rule_id, rule_name, kind, environment_id, status: "firing", summary, detail, value },
    ...{ threshold, notifications: 1, fired_at: now, resolved_at: null, resolved_because: null, created_at: now },
  };
}
