import type { AlertRule, ListAlertRulesQuery } from "@millrace/contract/alerts/alert-rules";
import type { Ctx, InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

/** A rule with what its evaluation keeps. */
export type RuleRow = Omit<AlertRule, "$schema"> & {
  healthy_since: string | null;
  notified_at: string | null;
  revision: number;
};

const COLUMNS = sql`r.id, r.project_id, r.name, r.kind, r.environment_id, r.job_id, r.workflow_id, r.queue, r.tag, r.threshold,
  r.window_secs, r.min_runs, r.objective, r.for_secs, r.resolve_after_secs, r.repeat_every_secs, r.channel_ids, r.runbook,
  r.enabled, r.silenced_until, r.state, r.state_since, r.value, r.alert_id, r.healthy_since, r.notified_at, r.revision,
  r.created_by, r.created_by_id, r.created_at, r.updated_at`;

export async function findRule(ctx: ProjectCtx, id: string): Promise<RuleRow> {
  const { rows } = await sql<RuleRow>`
    select ${COLUMNS} from alert_rules r
    where r.project_id = ${ctx.project_id} and r.id = ${isId(id) ? id : null}`.execute(ctx.db);
  if (!rows[0]) throw notFound("alert rule");
  return rows[0];
}

export async function lockRule(tx: ProjectCtx & InTransaction, id: string): Promise<RuleRow> {
  const { rows } = await sql<RuleRow>`
    select ${COLUMNS} from alert_rules r
    where r.project_id = ${tx.project_id} and r.id = ${isId(id) ? id : null} for update`.execute(tx.db);
  if (!rows[0]) throw notFound("alert rule");
  return rows[0];
}

export async function listRules(ctx: ProjectCtx, page: Page, filter: ListAlertRulesQuery): Promise<RuleRow[]> {
  const { state, kind } = filter;
  const { rows } = await sql<RuleRow>`
    select ${COLUMNS} from alert_rules r
    where r.project_id = ${ctx.project_id} ${state ? sql`and r.state = ${state}` : sql``}
      ${kind ? sql`and r.kind = ${kind}` : sql``} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** The columns that suffice if a rule's state does not change: most do not, and a project may have a thousand. */
export type EvaluatedRule = Omit<
  RuleRow,
  | "project_id"
  | "name"
  | "channel_ids"
  | "runbook"
  | "enabled"
  | "value"
  | "alert_id"
  | "created_by"
  | "created_by_id"
  | "updated_at"
>;

/** The rules of a project that are evaluated. */
export async function listEnabledRules(ctx: Ctx, project_id: string): Promise<EvaluatedRule[]> {
  const { rows } = await sql<EvaluatedRule>`
    /* prepared */
    select r.id, r.kind, r.environment_id, r.job_id, r.workflow_id, r.queue, r.tag, r.threshold, r.window_secs, r.min_runs,
      r.objective, r.for_secs, r.resolve_after_secs, r.repeat_every_secs, r.silenced_until, r.state, r.state_since,
      r.healthy_since, r.notified_at, r.revision, r.created_at
    from alert_rules r where r.project_id = ${project_id} and r.enabled`.execute(ctx.db);
  return rows;
}

/** The whole rule, if it has not changed since it was evaluated. */
export async function findUnchangedRule(
  ctx: Ctx,
  project_id: string,
  { id, revision }: EvaluatedRule,
): Promise<RuleRow | undefined> {
  const { rows } = await sql<RuleRow>`
    select ${COLUMNS} from alert_rules r
    where r.project_id = ${project_id} and r.id = ${id} and r.revision = ${revision} and r.enabled`.execute(ctx.db);
  return rows[0];
}

export function presentRule({ healthy_since: _, notified_at: __, revision: ___, ...rule }: RuleRow): AlertRule {
  return rule;
}

/** Locks the project's row until the commit, so that two concurrent inserts cannot both pass the limit. */
export async function countRules(tx: ProjectCtx & InTransaction): Promise<number> {
  await sql`select 1 from projects where id = ${tx.project_id} for no key update`.execute(tx.db);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from alert_rules where project_id = ${tx.project_id}`.execute(tx.db);
  return rows[0]?.count ?? 0;
}
