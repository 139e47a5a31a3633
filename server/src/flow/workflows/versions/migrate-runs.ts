import { decidedBy } from "../../../platform/actor.ts";
import { appendDecisions, DECISION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { newId } from "../../../platform/ids.ts";
import { deleteItems } from "../map/delete-items.ts";
import { lockWorkflowRuns } from "../progress/load-runs.ts";
import { workflowRunsChanged } from "../progress/progress-soon.ts";
import type { WorkflowVersion } from "../start/workflow-version.ts";
import { enqueueProgress } from "../workflow-run-changes.ts";
import { type MigrationCheck, stepChanges } from "./check-migration.ts";
import { type CheckedRun, checkMigrations, type MigrationRequest } from "./check-migrations.ts";

/**
 * Migrates a page of workflow runs to another version, each under its lock, in one transaction. Those that cannot be
 * migrated are left as they are. Idempotent. `alongside` writes the results in the same transaction.
 */
export async function migrateRuns<C extends Ctx>(
  ctx: C,
  request: MigrationRequest,
  ids: readonly string[],
  alongside: (tx: C & InTransaction, checked: readonly CheckedRun[]) => Promise<void>,
): Promise<CheckedRun[]> {
  const { project_id } = request;
  const keyOf = (workflow_run_id: string) => ({ project_id, workflow_run_id });
  return inTransaction(ctx, async (tx) => {
    await lockWorkflowRuns(tx, ids.map(keyOf));
    const all = await checkMigrations(tx, request, ids);
    await writeMigrations(tx, request, all);
    await alongside(tx, all);
    const moved = all.filter(({ check }) => check.kind === "migrate").map((run) => keyOf(run.workflow_run_id));
    workflowRunsChanged(tx, moved);
    return all;
  });
}

type Move = Extract<MigrationCheck, { kind: "migrate" }> & { id: string; from: WorkflowVersion };

/** Writes the migrated runs: their steps as in the target, the run itself, and the decision. */
async function writeMigrations(
  tx: Ctx & InTransaction,
  request: MigrationRequest,
  checked: readonly CheckedRun[],
): Promise<void> {
  const moves = checked.flatMap(({ workflow_run_id: id, from, check }): Move[] =>
    from && check.kind === "migrate" ? [{ id, from, ...check }] : [],
  );
  if (moves.length === 0) return;
  await removeSteps(tx, request, moves);
  await deleteChangedItems(tx, request, moves);
  await createSteps(tx, request, moves);
  await placeSteps(tx, request, moves);
  const moved = await moveRuns(tx, request, moves);
  if (moved !== moves.length) throw new Error("workflow runs were changed without the lock");
}

/** Deletes steps that have never started. */
async function removeSteps(tx: Ctx & InTransaction, { project_id }: MigrationRequest, moves: Move[]): Promise<void> {
  const gone = moves.flatMap(({ id, removed }) => removed.map((step_ref) => ({ id, step_ref })));
  if (gone.length === 0) return;
  await sql`
    delete from step_runs s
    using json_to_recordset(${JSON.stringify(gone)}::json) as g(id uuid, step_ref text)
    where s.project_id = ${project_id} and s.workflow_run_id = g.id and s.step_ref = g.step_ref
      and s.status = 'pending' and s.generation = 1 and ${fewRows("g.step_ref")}`.execute(tx.db);
}

/** A reset map has kept its items. If it differs in the target, its list is evaluated again. */
async function deleteChangedItems(
  tx: Ctx & InTransaction,
  { project_id, target }: MigrationRequest,
  moves: Move[],
): Promise<void> {
  for (const { id, from } of moves) {
    const changes = stepChanges(from.definition, target.definition);
    const changed = from.definition.steps.filter(({ type, step_ref }) => type === "map" && changes.has(step_ref));
    const refs = changed.map(({ step_ref }) => step_ref);
    await deleteItems(tx, { project_id, id }, refs);
  }
}

/** Steps that are new in the target, each at its position there. */
async function createSteps(
  tx: Ctx & InTransaction,
  { project_id, target }: MigrationRequest,
  moves: Move[],
): Promise<void> {
  const added = moves.flatMap(({ id, added }) =>
    added.map((step_ref) => ({ workflow_run_id: id, step_ref, id: newId() })),
  );
  if (added.length === 0) return;
  await sql`
    insert into step_runs (project_id, id, workflow_run_id, step_ref, position, type, status, created_at, updated_at)
    select ${project_id}, g.id, g.workflow_run_id, g.step_ref, t.position, t.type, 'pending', clock(), clock()
    from json_to_recordset(${JSON.stringify(added)}::json) as g(workflow_run_id uuid, step_ref text, id uuid)
    join json_to_recordset(${JSON.stringify(positionsOf(target))}::json) as t(step_ref text, position int, type text)
      on t.step_ref = g.step_ref`.execute(tx.db);
}

/** Updates the remaining steps to the target. Only a pending one can change its type. */
async function placeSteps(
  tx: Ctx & InTransaction,
  { project_id, target }: MigrationRequest,
  moves: Move[],
): Promise<void> {
  await sql`
    update step_runs s set position = t.position, type = t.type
    from json_to_recordset(${JSON.stringify(positionsOf(target))}::json) as t(step_ref text, position int, type text)
    where s.project_id = ${project_id} and s.workflow_run_id = any(${moves.map(({ id }) => id)}::uuid[])
      and s.step_ref = t.step_ref and (s.position <> t.position or s.type <> t.type)`.execute(tx.db);
}

function positionsOf({ definition }: WorkflowVersion): object[] {
  return definition.steps.map(({ step_ref, type }, position) => ({ step_ref, position, type }));
}

/**
 * The version, and the timeout if the target differs: then the run has the whole new time, as after a retry. A paused
 * run has it from its pause on, since resuming adds the paused time.
 */
async function moveRuns(tx: Ctx & InTransaction, request: MigrationRequest, moves: Move[]): Promise<number> {
  const { project_id, target } = request;
  const { timeout_secs } = target.definition;
  const given = moves.map(({ id, from, added, removed }) => {
    const isTimed = from.definition.timeout_secs !== timeout_secs;
    return { id, from_version_id: from.id, is_timed: isTimed, ...decisionOf(request, from, { added, removed }) };
  });
  const { rows } = await sql<{ moved: number }>`
    with moved as (
      update workflow_runs w set version_id = ${target.id}, version = ${target.version}, decisions = w.decisions + 1,
        timeout_secs = case when g.is_timed then ${timeout_secs}::int else w.timeout_secs end,
        deadline = case when g.is_timed and w.started_at is not null
          then coalesce(w.paused_at, clock()) + ${timeout_secs}::int * interval '1 second'
          when g.is_timed then null else w.deadline end,
        updated_at = clock()
      from json_to_recordset(${JSON.stringify(given)}::json) as g(
        id uuid, from_version_id uuid, is_timed boolean, decision_type text, reason text, detail jsonb,
        decided_by text, decided_by_id text)
      where w.project_id = ${project_id} and w.id = g.id and w.version_id = g.from_version_id
        and w.status in ('pending', 'running', 'paused')
      returning w.id, w.decisions as ordinal, g.decision_type, g.reason, g.detail, g.decided_by, g.decided_by_id
    ),
    ${enqueueProgress(project_id, sql`moved`)},
    decided as (
      insert into workflow_decisions (
        project_id, workflow_run_id, ordinal, decision_type, reason, detail, decided_by, decided_by_id, created_at)
      select ${project_id}, m.id, m.ordinal, m.decision_type, m.reason, m.detail, m.decided_by, m.decided_by_id, clock()
      from moved m
      returning ${DECISION}
    ),
    ${appendDecisions()}
    select count(*)::int as moved from moved`.execute(tx.db);
  changesAppended(tx, "workflow_run");
  return rows[0]?.moved ?? 0;
}

function decisionOf(
  { target, by }: MigrationRequest,
  from: WorkflowVersion,
  steps: { added: string[]; removed: string[] },
): object {
  return {
    decision_type: "migrate",
    reason: `Migrated from version ${from.version} to version ${target.version} by ${by.name}.`,
    detail: { from_version: from.version, to_version: target.version, ...steps },
    ...decidedBy(by),
  };
}
