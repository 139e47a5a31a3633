import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { logFailure } from "../../../platform/logging/log-failure.ts";
import { yieldToEventLoop } from "../../../platform/time-slices.ts";
import { type EvaluatedRule, findUnchangedRule, listEnabledRules } from "../queries.ts";
import { evaluateRule, type Reading } from "./evaluate-rule.ts";
import { nextStep, type Step } from "./next-step.ts";
import { readFacts } from "./read-facts.ts";
import { writeStep } from "./write-step.ts";

/** With the 5 s between two passes and the delay of the sums, a problem is notified within a minute. */
const EVERY_SECS = 45;
const PAGE = 20;

/** A project is due. */
export const HAS_DUE_RULES = sql`exists (
  select e.project_id from alert_evaluations e where e.next_at <= clock())`;

type Due = { project_id: string; is_deleted: boolean; now: string };

/**
 * Evaluates the rules of the projects that are due, a page at a time. Two instances may evaluate the same rules: each
 * decision is guarded by the revision of its rule.
 */
export async function evaluateRules(ctx: Ctx): Promise<boolean> {
  const due = await claimDue(ctx);
  for (const { project_id, is_deleted, now } of due) {
    if (is_deleted) continue;
    await evaluateProject(ctx, project_id, now).catch((error) =>
      logFailure(ctx, error, { project_id }, "the alert rules of a project could not be evaluated"),
    );
  }
  return due.length === PAGE;
}

/** Healthy rules cost the statements that read the facts; only changes are written. */
export async function evaluateProject(ctx: Ctx, project_id: string, now: string): Promise<void> {
  const rules = await listEnabledRules(ctx, project_id);
  if (rules.length === 0) return;
  const facts = await readFacts(ctx, project_id, rules, now);
  for (const rule of rules) {
    await yieldToEventLoop();
    const reading = evaluateRule(rule, facts);
    const step = nextStep(rule, reading, now);
    if (!step) continue;
    await changeRule(ctx, project_id, rule, { reading, step, now }).catch((error) =>
      logFailure(ctx, error, { project_id, rule_id: rule.id }, "the state of an alert rule could not be written"),
    );
  }
}

type Change = { reading: Reading; step: Step; now: string };

async function changeRule(ctx: Ctx, project_id: string, evaluated: EvaluatedRule, change: Change): Promise<void> {
  const rule = await findUnchangedRule(ctx, project_id, evaluated);
  if (rule) await writeStep(ctx, rule, change.reading, change.step, change.now);
}

/** A project is claimed until its next evaluation: after a crash it is evaluated then. */
async function claimDue(ctx: Ctx): Promise<Due[]> {
  const { rows } = await sql<Due>`
    /* prepared */
    with due as materialized (
      select e.project_id from alert_evaluations e where e.next_at <= clock()
      order by e.next_at limit ${PAGE} for update skip locked
    )
    update alert_evaluations e set next_at = case when p.deleted_at is null
      then clock() + ${EVERY_SECS} * interval '1 second' else 'infinity' end
    from due d join projects p on p.id = d.project_id
    where e.project_id = d.project_id
    returning e.project_id, p.deleted_at is not null as is_deleted, clock()::timestamptz(3) as now`.execute(ctx.db);
  return rows;
}
