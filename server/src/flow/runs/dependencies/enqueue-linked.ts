import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { enqueueOutbox } from "../../../platform/outbox/enqueue-outbox.ts";
import { overBudget } from "../../budget/over-budget.ts";
import { noteReservations, reserveBudget, type WhenFull } from "../../budget/reserve-budget.ts";
import { type Enqueued, enqueueRuns } from "../create/enqueue-runs.ts";
import type { NewRun } from "../create/new-run.ts";
import { isSatisfied } from "./is-satisfied.ts";
import { type Link, linkDependencies } from "./link-dependencies.ts";

/** Creates runs together with their dependencies. Without dependencies this is just `enqueueRuns`. */
export async function enqueueLinked(
  tx: Ctx & InTransaction,
  newRuns: readonly NewRun[],
  links: readonly Link[],
): Promise<Enqueued> {
  if (links.length === 0) return enqueueRuns(tx, newRuns);
  const open = countOpen(links);
  const enqueued = await enqueueRuns(
    tx,
    newRuns.map((run) => ({ ...run, open_dependencies: open.get(run.id) ?? 0 })),
  );
  const created = links.filter((link) => enqueued.has(link.run_id));
  await insertLinks(tx, created);
  await enqueueUnsatisfiable(tx, created.filter(isUnsatisfiable));
  return enqueued;
}

/** One run with its dependencies, in the caller's transaction. */
export async function enqueueDependent(tx: Ctx & InTransaction, run: NewRun, whenFull: WhenFull): Promise<Enqueued> {
  const links = await linkDependencies(tx, [run]);
  for (const over of (await reserveBudget(tx, [run], whenFull)).values()) throw overBudget(over);
  const enqueued = await enqueueLinked(tx, [run], links);
  await noteReservations(tx, [run], enqueued);
  return enqueued;
}

/** A dependency that can never be satisfied counts as open: its run must not start before it is canceled. */
function isOpen({ condition, status }: Link): boolean {
  return status === null || !isSatisfied(condition, status);
}

function isUnsatisfiable(link: Link): boolean {
  return link.status !== null && isOpen(link);
}

function countOpen(links: readonly Link[]): Map<string, number> {
  const open = new Map<string, number>();
  for (const link of links.filter(isOpen)) open.set(link.run_id, (open.get(link.run_id) ?? 0) + 1);
  return open;
}

async function insertLinks(tx: Ctx & InTransaction, links: readonly Link[]): Promise<void> {
  if (links.length === 0) return;
  const rows = links.map((link) => ({ ...link, status: isOpen(link) ? null : link.status }));
  await sql`
    insert into run_dependencies (
      project_id, run_id, depends_on_run_id, depends_on_job_id, condition, source, ended_as, settled_at, created_at)
    select project_id, run_id, depends_on_run_id, depends_on_job_id, condition, source, status,
      case when status is not null then clock() end, clock()
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(
      project_id uuid, run_id uuid, depends_on_run_id uuid, depends_on_job_id uuid, condition text, source text,
      status text)`.execute(tx.db);
}

/** The dependency has already ended, so its end will not cancel them: the outbox entry is written here. */
function enqueueUnsatisfiable(tx: Ctx & InTransaction, links: readonly Link[]): Promise<void> {
  return enqueueOutbox(
    tx,
    links.map(({ project_id, run_id, depends_on_run_id }) => ({
      project_id,
      transition_id: `${run_id}:1`,
      kind: "dependents",
      target_id: depends_on_run_id,
    })),
  );
}
