import { isDeepStrictEqual } from "node:util";
import { JobDependencies, PutJobDependencies } from "@millrace/contract/runs/run-dependencies";
import { lockKeys } from "../../../flow/lock-keys.ts";
import { type Definition, listDefinitions } from "../../../flow/runs/dependencies/list-definitions.ts";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { invalid, notFound } from "../../../platform/errors/errors.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { findJob, holdJob, lockJob } from "../queries.ts";
import { refuseBeyondKey } from "../references.ts";

const foundBy = { table: "jobs", param: "jobID" } as const;

export const jobDependencyRoutes: Route[] = [
  projectRoute("GET /v1/jobs/{jobID}/dependencies", {
    summary: "Get the dependencies of a job",
    scope: "jobs:read",
    foundBy,
    response: JobDependencies,
    run: (ctx, { params }) => getJobDependencies(ctx, params.jobID),
  }),
  projectRoute("PUT /v1/jobs/{jobID}/dependencies", {
    summary: "Set the dependencies of a job",
    scope: "jobs:write",
    foundBy,
    body: PutJobDependencies,
    response: JobDependencies,
    errors: ["dependency_cycle"],
    run: (ctx, { params, body }) => putJobDependencies(ctx, params.jobID, body.dependencies),
  }),
];

async function getJobDependencies(ctx: ProjectCtx, ref: string): Promise<JobDependencies> {
  const job = await findJob(ctx, ref);
  if (!job) throw notFound("job");
  return { job_id: job.id, dependencies: await listDefinitions(ctx, ctx.project_id, job.id) };
}

type Wanted = PutJobDependencies["dependencies"];

/** Replaces all dependencies of a job. They apply to runs created from now on. */
function putJobDependencies(ctx: ProjectCtx, ref: string, wanted: Wanted): Promise<JobDependencies> {
  return inTransaction(ctx, async (tx) => {
    // Without the lock, two changes that together close a cycle would not see each other.
    await lockKeys(tx, [`job_dependencies/${tx.project_id}`]);
    const job = await lockJob(tx, ref);
    if (!job) throw notFound("job");
    refuseBeyondKey(tx, job.environment_id);
    const definitions = await readDefinitions(tx, job.id, wanted);
    const before = await listDefinitions(tx, tx.project_id, job.id);
    if (isDeepStrictEqual(sorted(before), sorted(definitions))) return { job_id: job.id, dependencies: before };
    await refuseCycle(tx, job, definitions);
    await writeDefinitions(tx, job.id, definitions);
    const dependencies = await listDefinitions(tx, tx.project_id, job.id);
    await recordAudit(tx, {
      action: "job.dependencies_changed",
      resource_type: "job",
      resource_id: job.id,
      before: { dependencies: before },
      after: { dependencies },
    });
    return { job_id: job.id, dependencies };
  });
}

async function readDefinitions(tx: ProjectCtx & InTransaction, job_id: string, wanted: Wanted): Promise<Definition[]> {
  const definitions: Definition[] = [];
  for (const [index, { job_id: ref, job_slug, condition = "completed" }] of wanted.entries()) {
    const location = `body.dependencies[${index}].job_id`;
    const other = await findJob(tx, ref);
    if (!other || !(await holdJob(tx, other.id))) throw invalid(location, "is not a job of this project", ref);
    if (job_slug !== undefined && job_slug !== other.slug) {
      const slugLocation = `body.dependencies[${index}].job_slug`;
      throw invalid(slugLocation, `is read-only: the slug of this job is ${other.slug}`, job_slug, "read_only_field");
    }
    if (other.id === job_id) throw invalid(location, "is the job itself", ref, "dependency_cycle");
    if (definitions.some((each) => each.job_id === other.id)) throw invalid(location, "is named twice", ref);
    definitions.push({ job_id: other.id, job_slug: other.slug, condition });
  }
  return definitions;
}

/** They are a set: their order does not matter. */
function sorted(definitions: readonly Definition[]): Definition[] {
  return definitions.toSorted((a, b) => (a.job_id < b.job_id ? -1 : 1));
}

async function refuseCycle(
  tx: ProjectCtx & InTransaction,
  job: { id: string; slug: string },
  definitions: Definition[],
): Promise<void> {
  const rows = (await listEdges(tx)).filter((edge) => edge.job_id !== job.id);
  const slugs = new Map([...rows.map((edge) => [edge.job_id, edge.slug] as const), [job.id, job.slug]]);
  const edges = new Map<string, string[]>([[job.id, definitions.map((each) => each.job_id)]]);
  for (const { job_id, depends_on_job_id } of rows) {
    edges.set(job_id, [...(edges.get(job_id) ?? []), depends_on_job_id]);
  }
  const cycle = findCycle(job.id, edges);
  if (!cycle) return;
  const index = definitions.findIndex((each) => each.job_id === cycle[1]);
  const path = cycle.map((id) => slugs.get(id) ?? id).join(" → ");
  const location = `body.dependencies[${index}].job_id`;
  throw invalid(location, `closes a cycle: ${path}`, definitions[index]?.job_id, "dependency_cycle");
}

/**
 * The shortest path from a job back to itself, as a list of jobs that begins and ends with it. Undefined: there is
 * none. Pure: `edges` lists the dependencies of each job.
 */
export function findCycle(start: string, edges: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    for (const next of edges.get(job) ?? []) {
      if (next === start) return traceCycle(start, job, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, job);
      queue.push(next);
    }
  }
  return undefined;
}

function traceCycle(start: string, last: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [start];
  for (let job: string | undefined = last; job !== undefined && job !== start; job = cameFrom.get(job))
    path.unshift(job);
  return [start, ...path];
}

/** Replaces all of them and raises the job's revision, so that no run is prepared from the old ones. */
async function writeDefinitions(
  ctx: ProjectCtx & InTransaction,
  job_id: string,
  definitions: readonly Pick<Definition, "job_id" | "condition">[],
): Promise<void> {
  await sql`
    delete from job_dependencies where project_id = ${ctx.project_id} and job_id = ${job_id}`.execute(ctx.db);
  await sql`
    insert into job_dependencies (project_id, job_id, depends_on_job_id, condition, created_at)
    select ${ctx.project_id}, ${job_id}, g.job_id, g.condition, clock()
    from jsonb_to_recordset(${JSON.stringify(definitions)}::jsonb) as g(job_id uuid, condition text)`.execute(ctx.db);
  await sql`
    update jobs set revision = revision + 1, updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${job_id}`.execute(ctx.db);
}

type Edge = { job_id: string; slug: string; depends_on_job_id: string };

/** Every definition of the project: they are few, and a cycle may go through any of them. */
async function listEdges(ctx: ProjectCtx): Promise<Edge[]> {
  const { rows } = await sql<Edge>`
    select d.job_id, j.slug, d.depends_on_job_id from job_dependencies d
    join jobs j on j.project_id = d.project_id and j.id = d.job_id and j.deleted_at is null
    where d.project_id = ${ctx.project_id}`.execute(ctx.db);
  return rows;
}
