import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import { withAccess, withDenies } from "../../platform/access/policies/policies.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { InUse } from "../../platform/errors/issues.ts";
import { isId } from "../../platform/ids.ts";
import { isSlug } from "../../platform/slug.ts";

/**
 * Resolves the workflows that steps reference: id or slug → id. Locks them until the commit, so that none is deleted
 * meanwhile, in id order to avoid deadlocks. `own`: the workflow that is being created, which may reference itself by
 * its slug.
 */
export async function holdWorkflows(
  ctx: ProjectCtx & InTransaction,
  steps: readonly Pick<StepInput, "workflow_id">[],
  own?: { id: string; slug: string | undefined },
): Promise<Map<string, string>> {
  const refs = [...new Set(steps.flatMap(({ workflow_id }) => workflow_id ?? []))];
  const itself: [string, string][] = own?.slug ? [[own.slug, own.id]] : [];
  if (refs.length === 0) return new Map(itself);
  const { rows } = await sql<{ id: string; slug: string }>`
    select w.id, w.slug from workflows w
    where w.project_id = ${ctx.project_id} and w.deleted_at is null and ${visible(await withDenies(ctx, "workflows:trigger"), "workflows", "w")}
      and (w.id = any(${refs.filter(isId)}::uuid[]) or w.slug = any(${refs.filter((ref) => !isId(ref) && isSlug(ref))}::text[]))
    order by w.id for key share`.execute(ctx.db);
  return new Map([
    ...itself,
    ...rows.flatMap(({ id, slug }): [string, string][] => [
      [id, id],
      [slug, id],
    ]),
  ]);
}

/** The other workflows that start it from a step, in their current version or in the target of a canary. */
export async function listParents(ctx: ProjectCtx, id: string): Promise<InUse[]> {
  const reader = await withAccess(ctx, "workflows:read");
  const asStep = JSON.stringify([{ workflow_id: id }]);
  const { rows } = await sql<InUse>`
    select w.id, w.name, bool_and(${visible(reader, "workflows", "w")}) as is_readable from workflows w
    left join canaries c on c.project_id = w.project_id and c.workflow_id = w.id and c.status = 'active'
    join workflow_versions v on v.project_id = w.project_id and v.id in (w.version_id, c.target_version_id)
    where w.project_id = ${ctx.project_id} and w.deleted_at is null and w.id <> ${id} and v.steps @> ${asStep}::jsonb
    group by w.id, w.name
    order by w.name, w.id limit 50`.execute(ctx.db);
  return rows;
}
