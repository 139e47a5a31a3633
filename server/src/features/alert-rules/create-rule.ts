import { type AlertRule, type CreateAlertRule, MAX_ALERT_RULES } from "@millrace/contract/alerts/alert-rules";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { checkRule, defaultsOf } from "./check-rule.ts";
import { countRules, findRule, presentRule } from "./queries.ts";

export async function createRule(ctx: ProjectCtx, body: CreateAlertRule): Promise<AlertRule> {
  const { project_id: _, kind, ...given } = body;
  const id = newId();
  const by = actorOf(ctx.caller);
  return inTransaction(ctx, async (tx) => {
    const rule = await checkRule(tx, defaultsOf(kind), given);
    if ((await countRules(tx)) >= MAX_ALERT_RULES)
      throw new ApiError("conflict", `A project has at most ${MAX_ALERT_RULES} alert rules.`);
    await sql`
      insert into alert_rules (project_id, id, name, kind, environment_id, job_id, workflow_id, queue, tag, threshold,
        window_secs, min_runs, objective, for_secs, resolve_after_secs, repeat_every_secs, channel_ids, runbook, enabled,
        state_since, created_by, created_by_id, created_at, updated_at)
      values (${tx.project_id}, ${id}, ${given.name}, ${kind}, ${rule.environment_id}, ${rule.job_id},
        ${rule.workflow_id}, ${rule.queue}, ${rule.tag}, ${rule.threshold}, ${rule.window_secs}, ${rule.min_runs},
        ${rule.objective}, ${rule.for_secs}, ${rule.resolve_after_secs}, ${rule.repeat_every_secs},
        ${rule.channel_ids}::uuid[], ${rule.runbook}, ${rule.enabled}, clock(), ${by.name}, ${by.id}, clock(), clock())`.execute(
      tx.db,
    );
    await sql`
      insert into alert_evaluations (project_id, next_at) values (${tx.project_id}, clock())
      on conflict (project_id) do nothing`.execute(tx.db);
    const after = presentRule(await findRule(tx, id));
    await recordAudit(tx, { action: "alert_rule.created", resource_type: "alert_rule", resource_id: id, after });
    return after;
  });
}
