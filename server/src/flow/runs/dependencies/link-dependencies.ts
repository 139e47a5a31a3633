import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { groupBy } from "../../../platform/group-by.ts";
import type { NewRun } from "../create/new-run.ts";
import { hasEnded, LIVE_STATUSES } from "../refuse-ended.ts";
import type { RunStatus } from "../states.ts";

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
const NEWEST = 10_000;

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
      const place = `${project_id}/${job_id}/${environment_id}`;
      if (!found.has(place)) found.set(place, await findNewestActive(tx, project_id, job_id, environment_id));
      const depends_on_run_id = found.get(place);
      if (depends_on_run_id) wanted.push({ project_id, run_id, depends_on_run_id, condition, source: "job" });
    }
  }
  return wanted;
}

/** `is true` keeps the planner from walking the project's runs by their key: those of the job have an index. */
async function findNewestActive(tx: Ctx, project_id: string, job_id: string, environment_id: string) {
  const { rows } = await sql<{ id: string }>`
    select r.id from (
      select id, status, environment_id from runs
      where (project_id = ${project_id}) is true and job_id = ${job_id} order by id desc limit ${NEWEST}
    ) r
    where r.status = any(${LIVE_STATUSES}::text[]) and r.environment_id = ${environment_id} and (
      select j.deleted_at from jobs j where j.project_id = ${project_id} and j.id = ${job_id}) is null
    order by r.id desc limit 1`.execute(tx.db);
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
