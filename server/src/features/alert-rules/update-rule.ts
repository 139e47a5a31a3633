import { isDeepStrictEqual } from "node:util";
import type { AlertRule, UpdateAlertRule } from "@millrace/contract/alerts/alert-rules";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { checkRule } from "./check-rule.ts";
import { closeAlert } from "./evaluate/write-step.ts";
import { findRule, lockRule, presentRule, type RuleRow } from "./queries.ts";

/** A rule that is disabled resolves its alert: nothing would do so later. */
export async function updateRule(ctx: ProjectCtx, id: string, body: UpdateAlertRule): Promise<AlertRule> {
  return inTransaction(ctx, async (tx) => {
    const row = await lockRule(tx, id);
    const changed: RuleRow = { ...row, ...(await checkRule(tx, row, body)), name: body.name ?? row.name };
    if (isDeepStrictEqual(changed, row)) return presentRule(row);
    if (!changed.enabled && row.alert_id !== null) await closeAlert(tx, row, "rule_disabled");
    await writeRule(tx, changed);
    const after = presentRule(await findRule(tx, id));
    await recordAudit(tx, {
      action: "alert_rule.updated",
      resource_type: "alert_rule",
      resource_id: id,
      before: presentRule(row),
      after,
    });
    return after;
  });
}

/** Raises the revision, so that an evaluation from before the change decides nothing. */
async function writeRule(tx: ProjectCtx & InTransaction, rule: RuleRow): Promise<void> {
  await sql`
    update alert_rules set name = ${rule.name}, environment_id = ${rule.environment_id}, job_id = ${rule.job_id},
      workflow_id = ${rule.workflow_id}, queue = ${rule.queue}, tag = ${rule.tag}, threshold = ${rule.threshold},
      window_secs = ${rule.window_secs}, min_runs = ${rule.min_runs}, objective = ${rule.objective},
      for_secs = ${rule.for_secs}, resolve_after_secs = ${rule.resolve_after_secs},
      repeat_every_secs = ${rule.repeat_every_secs}, channel_ids = ${rule.channel_ids}::uuid[],
      runbook = ${rule.runbook}, enabled = ${rule.enabled}, revision = revision + 1, updated_at = clock()
    where project_id = ${tx.project_id} and id = ${rule.id}`.execute(tx.db);
}
