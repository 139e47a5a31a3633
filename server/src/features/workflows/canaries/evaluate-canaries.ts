import type { AutoPromoteConfig } from "@millrace/contract/workflows/canaries";
import {
  type CanaryDecision,
  type CanaryEvidence,
  evaluateCanary,
} from "../../../flow/workflows/versions/evaluate-canary.ts";
import { recordServiceAudit } from "../../../platform/audit/record-audit.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { MAX_SAMPLE, type RoutedRuns, readRoutedRuns } from "./canary-metrics.ts";
import { CANARY_COLUMNS, type CanaryRow, presentCanary, raiseRevision, updateActiveCanary } from "./canary-queries.ts";
import { type EndedCanary, endCanary } from "./end-canary.ts";

const PAGE = 50;
const INTERVAL_SECS = 2;

/** Advances canaries by their own configuration: a larger share, the promotion, or the rollback. */
export async function evaluateCanaries(ctx: Ctx): Promise<boolean> {
  const due = await takeDue(ctx);
  for (const canary of due) {
    const config = canary.auto_promote_config as AutoPromoteConfig;
    const verdict = evaluateCanary(config, await readEvidence(ctx, canary, config));
    if (verdict.kind !== "wait") await inTransaction(ctx, (tx) => carryOut(tx, canary, verdict));
  }
  return due.length === PAGE;
}

/** Marked before they are evaluated, so that one that fails cannot block the others forever. */
async function takeDue(ctx: Ctx): Promise<CanaryRow[]> {
  const { rows } = await sql<CanaryRow>`
    /* prepared */
    update canaries c set evaluated_at = clock()
    where (c.project_id, c.id) in (
      select d.project_id, d.id from canaries d
      join workflows w on w.project_id = d.project_id and w.id = d.workflow_id and w.deleted_at is null
      where d.status = 'active' and d.auto_promote_config is not null
        and (d.auto_promote_config ->> 'enabled')::boolean
        and (d.evaluated_at is null or d.evaluated_at <= clock() - ${INTERVAL_SECS} * interval '1 second')
      order by d.evaluated_at nulls first limit ${PAGE})
    returning ${CANARY_COLUMNS}`.execute(ctx.db);
  return rows;
}

/** Applies only if the canary has not changed since it was evaluated; otherwise the next pass evaluates it again. */
async function carryOut(
  tx: Ctx & InTransaction,
  evaluated: CanaryRow,
  verdict: Exclude<CanaryDecision, { kind: "wait" }>,
): Promise<void> {
  if (!(await isUnchanged(tx, evaluated))) return;
  const changed = await change(tx, evaluated, verdict);
  if (!changed) return;
  const { kind, ...detail } = verdict;
  await recordServiceAudit(tx, evaluated.project_id, {
    action: `canary.${{ advance: "updated", promote: "promoted", roll_back: "rolled_back" }[kind]}`,
    resource_type: "canary",
    resource_id: evaluated.id,
    before: presentCanary(evaluated),
    after: { ...presentCanary(changed.row), ...detail },
  });
  if (changed.entry) await recordServiceAudit(tx, evaluated.project_id, changed.entry);
}

async function change(
  tx: Ctx & InTransaction,
  evaluated: CanaryRow,
  verdict: Exclude<CanaryDecision, { kind: "wait" }>,
): Promise<EndedCanary | undefined> {
  if (verdict.kind === "promote") return endCanary(tx, evaluated, "promoted");
  if (verdict.kind === "roll_back") return endCanary(tx, evaluated, "rolled_back");
  await raiseRevision(tx, { project_id: evaluated.project_id, id: evaluated.workflow_id });
  const row = await updateActiveCanary(tx, { ...evaluated, traffic_pct: verdict.traffic_pct });
  return row && { row };
}

/** Locks the workflow, like every change of its canary. */
async function isUnchanged(tx: Ctx & InTransaction, evaluated: CanaryRow): Promise<boolean> {
  const { project_id, workflow_id } = evaluated;
  const { rows: locked } = await sql`
    select 1 from workflows where project_id = ${project_id} and id = ${workflow_id} and deleted_at is null
    for no key update`.execute(tx.db);
  if (locked.length === 0) return false;
  const { rows } = await sql`
    select 1 from canaries c
    where c.project_id = ${project_id} and c.id = ${evaluated.id} and c.status = 'active'
      and c.traffic_pct = ${evaluated.traffic_pct}
      and c.auto_promote_config = ${JSON.stringify(evaluated.auto_promote_config)}::jsonb`.execute(tx.db);
  return rows.length > 0;
}

/** The share of the source's runs that took longer than its p95. */
const BEYOND_P95 = 0.05;

/** The data that a canary is evaluated by, over all environments. */
async function readEvidence(
  ctx: Ctx,
  canary: CanaryRow,
  { max_p95_increase }: AutoPromoteConfig,
): Promise<CanaryEvidence> {
  const { source, target } = await readRoutedRuns(ctx, canary);
  const p95 = source.percentiles?.[1] ?? null;
  const limit_ms = p95 === null || max_p95_increase === null ? null : p95 * (1 + max_p95_increase);
  const { share_secs, share_runs, slow_runs } = await readShare(ctx, canary, limit_ms);
  return {
    traffic_pct: canary.traffic_pct,
    share_secs,
    share_runs,
    source,
    target,
    slow: limit_ms === null ? null : { source: beyondP95(source), target: tally(target.good, slow_runs) },
  };
}

function beyondP95({ good }: RoutedRuns) {
  return tally(good, good * BEYOND_P95);
}

function tally(runs: number, bad: number) {
  return { good: runs - bad, bad };
}

type Share = Pick<CanaryEvidence, "share_secs" | "share_runs"> & { slow_runs: number };

async function readShare(ctx: Ctx, canary: CanaryRow, limit_ms: number | null): Promise<Share> {
  const { rows } = await sql<Share>`
    select extract(epoch from clock() - c.traffic_since)::float8 as share_secs,
      count(*) filter (where s.status <> 'canceled' and s.created_at >= c.traffic_since)::int as share_runs,
      count(*) filter (where s.status = 'completed' and s.took_ms > ${limit_ms}::float8)::int as slow_runs
    from canaries c
    left join lateral (
      select r.status, r.created_at, extract(epoch from r.finished_at - r.started_at)::float8 * 1000 as took_ms
      from workflow_runs r
      where r.project_id = c.project_id and r.canary_id = c.id and r.version_id = c.target_version_id
        and r.finished_at is not null
      order by r.finished_at desc limit ${MAX_SAMPLE}
    ) s on true
    where c.project_id = ${canary.project_id} and c.id = ${canary.id}
    group by c.project_id, c.id`.execute(ctx.db);
  return rows[0] as Share;
}

/** There are active canaries with automatic promotion. */
export const HAS_AUTOMATIC_CANARIES = sql`exists (
  select c.project_id from canaries c where c.status = 'active' and c.auto_promote_config is not null)`;
