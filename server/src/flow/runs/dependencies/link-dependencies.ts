import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { enqueueOutbox } from "../../../platform/outbox/enqueue-outbox.ts";
import { enqueueRuns } from "../create/enqueue-runs.ts";
import type { Enqueued, NewRun } from "../create/new-run.ts";
import { hasEnded, LIVE_STATUSES, type RunStatus } from "../states.ts";

/** A dependency of a run. `status`: how it has ended; null while it has not. */
export type Link = {
  project_id: string;
  run_id: string;
  depends_on_run_id: string;
  depends_on_job_id: string;
  condition: "completed" | "ended";
  source: "run" | "job";
  status: RunStatus | null;
};

type Wanted = Omit<Link, "depends_on_job_id" | "status">;
type Locked = { project_id: string; id: string; job_id: string; status: RunStatus };

/** Active runs are recent: older ones are not read. */
const MAX_SCANNED = 10_000;

/**
 * Finds the dependencies of new runs, locks and marks them: a concurrent end of one either comes before the lock, and
 * is seen here, or after it, and sees the mark. Costs nothing for runs without dependencies.
 */
export async function linkDependencies(tx: Ctx & InTransaction, newRuns: readonly NewRun[]): Promise<Link[]> {
  const dependents = newRuns.filter((run) => run.waits_on !== undefined);
  if (dependents.length === 0) return [];
  const wanted = [...dependents.flatMap(byName), ...(await byJob(tx, dependents))];
  const locked = new Map((await lockRuns(tx, wanted)).map((run) => [`${run.project_id}/${run.id}`, run]));
  for (const [project_id, runs] of groupBy([...locked.values()].filter(isLive), (run) => run.project_id)) {
    await markHasDependents(tx, project_id, runs);
  }
  const links = wanted.flatMap((link) => {
    const run = locked.get(`${link.project_id}/${link.depends_on_run_id}`);
    return run ? [{ ...link, depends_on_job_id: run.job_id, status: hasEnded(run.status) ? run.status : null }] : [];
  });
  return firstOfEach(links);
}

/** A run that was requested by id counts as such, whatever the job's definition says. */
function firstOfEach(links: Link[]): Link[] {
  const seen = new Set<string>();
  return links.filter(({ run_id, depends_on_run_id }) => {
    const pair = `${run_id}/${depends_on_run_id}`;
    return !seen.has(pair) && seen.add(pair);
  });
}

function byName({ project_id, id: run_id, waits_on }: NewRun): Wanted[] {
  return (waits_on?.run_ids ?? []).map((depends_on_run_id) => ({
    project_id,
    run_id,
    depends_on_run_id,
    condition: "completed",
    source: "run",
  }));
}

/** The newest active run of each named job, in the environment of the new run. */
async function byJob(tx: Ctx & InTransaction, dependents: NewRun[]): Promise<Wanted[]> {
  const found = new Map<string, string | undefined>();
  const wanted: Wanted[] = [];
  for (const { project_id, id: run_id, environment_id, waits_on } of dependents) {
    for (const { job_id, condition } of waits_on?.jobs ?? []) {
      const key = `${project_id}/${job_id}/${environment_id}`;
      if (!found.has(key)) found.set(key, await findNewestActive(tx, project_id, job_id, environment_id));
      const depends_on_run_id = found.get(key);
      if (depends_on_run_id) wanted.push({ project_id, run_id, depends_on_run_id, condition, source: "job" });
    }
  }
  return wanted;
}

/** `is true` keeps the planner from walking the project's runs by their key: those of the job have an index. */
async function findNewestActive(tx: Ctx, project_id: string, job_id: string, environment_id: string) {
  const { rows } = await sql<{ id: string }>`
    select r.id from (
      select id, created_at, status, environment_id from runs
      where (project_id = ${project_id}) is true and job_id = ${job_id} order by created_at desc limit ${MAX_SCANNED}
    ) r
    where r.status = any(${LIVE_STATUSES}::text[]) and r.environment_id = ${environment_id} and (
      select j.deleted_at from jobs j where j.project_id = ${project_id} and j.id = ${job_id}) is null
    order by r.created_at desc, r.id desc limit 1`.execute(tx.db);
  return rows[0]?.id;
}

/** In order of ids, the global lock order. */
async function lockRuns(tx: Ctx & InTransaction, wanted: Wanted[]): Promise<Locked[]> {
  if (wanted.length === 0) return [];
  const { rows } = await sql<Locked>`
    select r.* from (
      select distinct g.run_id, g.project_id
      from unnest(${wanted.map((link) => link.project_id)}::uuid[], ${wanted.map((link) => link.depends_on_run_id)}::uuid[])
        as g(project_id, run_id) order by g.run_id
    ) g, lateral (
      select r.project_id, r.id, r.job_id, r.status from runs r
      where r.project_id = g.project_id and r.id = g.run_id for no key update
    ) r`.execute(tx.db);
  return rows;
}

function isLive({ status }: Locked): boolean {
  return !hasEnded(status);
}

async function markHasDependents(tx: Ctx & InTransaction, project_id: string, runs: Locked[]): Promise<void> {
  await sql`
    update runs set has_dependents = true
    where project_id = ${project_id} and id = any(${runs.map((run) => run.id)}::uuid[])
      and not has_dependents`.execute(tx.db);
}

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

/**
 * Why a run would be canceled as soon as it is created: a run it depends on by id has ended, and did not complete.
 * Dependencies on jobs apply only to active runs. Read-only.
 */
export async function previewFailed(ctx: Ctx, { project_id, waits_on }: NewRun) {
  const run_ids = waits_on?.run_ids ?? [];
  if (run_ids.length === 0) return undefined;
  const { rows } = await sql<{ id: string; status: RunStatus }>`
    select r.id, r.status from unnest(${run_ids}::uuid[]) with ordinality as g(id, nth), lateral (
      select r.id, r.status from runs r
      where r.project_id = ${project_id} and r.id = g.id and r.finished_at is not null offset 0
    ) r
    order by g.nth`.execute(ctx.db);
  const failed = rows.find(({ status }) => !isSatisfied("completed", status));
  return failed && dependencyFailed(failed.id, failed.status);
}

/** Whether a run may start after a dependency that has ended with this status. */
export function isSatisfied(condition: "completed" | "ended", status: string): boolean {
  return condition === "ended" || status === "completed";
}

/** The error of a run that was canceled because a run it depends on did not complete. */
export function dependencyFailed(depends_on_run_id: string, status: RunStatus) {
  return {
    code: "dependency_failed",
    message: `The run ${depends_on_run_id}, which it depends on, ended as ${status}.`,
  } as const;
}
