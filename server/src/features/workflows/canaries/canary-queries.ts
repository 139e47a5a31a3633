import type { ProblemError } from "@millrace/contract/schema/problem";
import {
  AUTO_PROMOTE_DEFAULTS,
  type AutoPromoteConfig,
  type AutoPromoteInput,
  type Canary,
} from "@millrace/contract/workflows/canaries";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError } from "../../../platform/errors/errors.ts";

/** A canary with the ids of its versions. */
export type CanaryRow = Omit<Canary, "$schema"> & { source_version_id: string; target_version_id: string };

type Key = { project_id: string; id: string };

export const CANARY_COLUMNS = sql`c.id, c.project_id, c.workflow_id, c.source_version, c.source_version_id,
  c.target_version, c.target_version_id, c.traffic_pct, c.status, c.auto_promote_config, c.created_at, c.updated_at,
  c.completed_at`;

/** The newest canary of a workflow; the active one if there is one. */
export async function findCanary(ctx: Ctx, project_id: string, workflow_id: string): Promise<CanaryRow | undefined> {
  const { rows } = await sql<CanaryRow>`
    select ${CANARY_COLUMNS} from canaries c
    where c.project_id = ${project_id} and c.workflow_id = ${workflow_id}
    order by c.created_at desc, c.id desc limit 1`.execute(ctx.db);
  return rows[0];
}

type NewCanary = Omit<CanaryRow, "status" | "created_at" | "updated_at" | "completed_at"> & { created_by: string };

export async function insertCanary(tx: Ctx & InTransaction, canary: NewCanary): Promise<CanaryRow> {
  const config = canary.auto_promote_config;
  const { rows } = await sql<CanaryRow>`
    insert into canaries as c (project_id, id, workflow_id, source_version, source_version_id, target_version,
      target_version_id, traffic_pct, auto_promote_config, traffic_since, created_by, created_at, updated_at)
    values (${canary.project_id}, ${canary.id}, ${canary.workflow_id}, ${canary.source_version},
      ${canary.source_version_id}, ${canary.target_version}, ${canary.target_version_id}, ${canary.traffic_pct},
      ${config && JSON.stringify(config)}, clock(), ${canary.created_by}, clock(), clock())
    returning ${CANARY_COLUMNS}`.execute(tx.db);
  return rows[0] as CanaryRow;
}

type CanaryChange = Key & Pick<CanaryRow, "traffic_pct" | "auto_promote_config">;

/** Undefined: it is no longer active. */
export async function updateActiveCanary(
  tx: Ctx & InTransaction,
  { project_id, id, traffic_pct, auto_promote_config: config }: CanaryChange,
): Promise<CanaryRow | undefined> {
  const { rows } = await sql<CanaryRow>`
    update canaries c set auto_promote_config = ${config && JSON.stringify(config)},
      traffic_since = case when c.traffic_pct = ${traffic_pct} then c.traffic_since else clock() end,
      traffic_pct = ${traffic_pct}, updated_at = clock()
    where c.project_id = ${project_id} and c.id = ${id} and c.status = 'active'
    returning ${CANARY_COLUMNS}`.execute(tx.db);
  return rows[0];
}

/** Undefined: another caller has ended it. */
export async function endActiveCanary(
  tx: Ctx & InTransaction,
  { project_id, id }: Key,
  status: "promoted" | "rolled_back",
): Promise<CanaryRow | undefined> {
  const { rows } = await sql<CanaryRow>`
    update canaries c set prev_status = c.status, status = ${status}, completed_at = clock(), updated_at = clock()
    where c.project_id = ${project_id} and c.id = ${id} and c.status = 'active'
    returning ${CANARY_COLUMNS}`.execute(tx.db);
  return rows[0];
}

/** Sets the version that new runs use. This invalidates every instance's cached workflow. */
export async function setCurrentVersion(
  tx: Ctx & InTransaction,
  { project_id, id }: Key,
  { version_id, version }: { version_id: string; version: number },
): Promise<void> {
  await sql`
    update workflows set version_id = ${version_id}, current_version = ${version}, revision = revision + 1,
      updated_at = clock()
    where project_id = ${project_id} and id = ${id} and deleted_at is null`.execute(tx.db);
}

/** Invalidates the cached workflow if only the share has changed. */
export async function raiseRevision(tx: Ctx & InTransaction, { project_id, id }: Key): Promise<void> {
  await sql`
    update workflows set revision = revision + 1
    where project_id = ${project_id} and id = ${id} and deleted_at is null`.execute(tx.db);
}

/** Versions are returned as numbers. */
export function presentCanary({ source_version_id: _, target_version_id: _target, ...shown }: CanaryRow): Canary {
  return shown;
}

/** The complete configuration, with the issues that its schema does not cover. */
export function readAutoPromote(input: AutoPromoteInput | null | undefined): {
  config: AutoPromoteConfig | null;
  issues: ProblemError[];
} {
  if (!input) return { config: null, issues: [] };
  const config = { ...AUTO_PROMOTE_DEFAULTS, steps: [...AUTO_PROMOTE_DEFAULTS.steps], ...input };
  const issues = config.steps.flatMap((value, index) =>
    index === 0 || value > (config.steps[index - 1] as number)
      ? []
      : [
          {
            location: `body.auto_promote_config.steps[${index}]`,
            message: "must be greater than the one before",
            value,
          },
        ],
  );
  return { config, issues };
}

/** While a canary is active, it alone decides which version is current. Called with the workflow locked. */
export async function refuseDuringCanary(
  ctx: Ctx,
  { project_id, id }: { project_id: string; id: string },
  remedy = "Promote it or roll it back first, or send activate: false.",
): Promise<void> {
  if ((await findCanary(ctx, project_id, id))?.status !== "active") return;
  throw new ApiError("canary_active", `The workflow has an active canary. ${remedy}`);
}
