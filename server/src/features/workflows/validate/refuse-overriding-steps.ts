import type { Scope } from "@millrace/contract/access/scopes";
import { mergeTags } from "../../../flow/runs/create/merge-tags.ts";
import {
  hasDenies,
  refuseOtherEnvironment,
  refuseOverriding,
} from "../../../platform/access/policies/refuse-retagging.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";

type Tags = Record<string, string>;
type Placed = { tags: Tags; environment_id: string | null };
/** Ids of what is started: jobs, and workflows with everything that their steps start in turn. */
type Started = { job_ids: readonly string[]; workflow_ids: readonly string[] };
type Step = { job_id?: string | null; compensate_job_id?: string | null; workflow_id?: string | null };

const READING: readonly Scope[] = ["runs:read", "workflows:read"];

/**
 * A workflow run's tags override those of the jobs and workflows that its steps start, at every level. Rejects a
 * trigger whose tags would override one by which the caller is denied reading.
 */
export async function refuseOverridingTrigger(
  ctx: ProjectCtx,
  run: { workflow_id: string; tags: Tags },
  laid: Tags,
): Promise<void> {
  if (!(await hasDenies(ctx, READING))) return;
  for (const { scope, tags } of await listStarted(ctx, { job_ids: [], workflow_ids: [run.workflow_id] })) {
    await refuseOverriding(ctx, scope, { tags }, { tags: { ...tags, ...laid } });
    await refuseOverriding(ctx, scope, run, below(tags, run));
  }
}

/**
 * The same check for saving a workflow, with the tags it inherits from the workflows that start it. Its runs also move
 * what their steps start to their environment.
 */
export async function refuseOverridingSave(
  ctx: ProjectCtx,
  { id, steps, ...saved }: Placed & { id: string; steps: readonly object[] },
): Promise<void> {
  if (!(await hasDenies(ctx, READING))) return;
  const named = steps as readonly Step[];
  const started = await listStarted(ctx, {
    job_ids: named.flatMap(({ job_id, compensate_job_id }) => [job_id ?? [], compensate_job_id ?? []].flat()),
    workflow_ids: [id, ...named.flatMap(({ workflow_id }) => workflow_id ?? [])],
  });
  for (const above of [saved, ...(await listAbove(ctx, id))])
    for (const { scope, tags, environment_id } of started) {
      await refuseOverriding(ctx, scope, { tags }, below(tags, above));
      await refuseOverriding(ctx, scope, above, below(tags, above));
      await refuseOtherEnvironment(ctx, [scope], environment_id, above.environment_id);
    }
}

/** The resulting tags of a step's run. If there are too many, some inherited ones are dropped. */
function below(own: Tags, { tags }: { tags: Tags }): { tags: Tags } {
  return { tags: mergeTags("job", own, { inherited_tags: tags }) };
}

/**
 * Lists everything that is started, in any version, because a trigger may request an old one. A workflow's tags are
 * passed on to the runs of its steps.
 */
async function listStarted({ db, project_id }: ProjectCtx, { job_ids, workflow_ids }: Started) {
  const { rows } = await sql<Placed & { scope: Scope }>`
    with recursive reached (id) as (
      select unnest(${workflow_ids}::uuid[])
      union
      select (step.value ->> 'workflow_id')::uuid from reached
      join workflow_versions v on v.project_id = ${project_id} and v.workflow_id = reached.id
      cross join jsonb_array_elements(v.steps) step
      where step.value ->> 'workflow_id' is not null
    ), started (id) as (
      select unnest(${job_ids}::uuid[])
      union
      select named.id::uuid from reached
      join workflow_versions v on v.project_id = ${project_id} and v.workflow_id = reached.id
      cross join jsonb_array_elements(v.steps) step
      cross join lateral (values (step.value ->> 'job_id'), (step.value ->> 'compensate_job_id')) named (id)
      where named.id is not null
    )
    select 'runs:read' as scope, j.tags, j.environment_id from jobs j
    where j.project_id = ${project_id} and j.id in (select started.id from started)
    union
    select scopes.scope, w.tags, w.environment_id from workflows w
    cross join (values ('runs:read'), ('workflows:read')) scopes (scope)
    where w.project_id = ${project_id} and w.id in (select reached.id from reached)`.execute(db);
  return rows;
}

async function listAbove({ db, project_id }: ProjectCtx, id: string): Promise<Placed[]> {
  const { rows } = await sql<Placed>`
    with recursive above (id) as (
      select ${id}::uuid
      union
      select v.workflow_id from above
      join workflow_versions v on v.project_id = ${project_id}
        and v.steps @> jsonb_build_array(jsonb_build_object('workflow_id', above.id))
    )
    select distinct w.tags, w.environment_id from workflows w
    where w.project_id = ${project_id} and w.id <> ${id} and w.id in (select above.id from above)`.execute(db);
  return rows;
}
