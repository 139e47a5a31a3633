import type { ProjectCtx } from "../../../platform/context.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { getWorkflow } from "../get-workflow.ts";
import { getWorkflowVersion } from "./get-workflow-version.ts";
import { findVersion, type VersionRow } from "./version-queries.ts";

/** The requested version; the current one by default. */
export async function requestedVersion(
  ctx: ProjectCtx,
  ref: string,
  requested: string | undefined,
): Promise<VersionRow> {
  const { id, version_id } = await getWorkflow(ctx, ref);
  if (requested === undefined) return getWorkflowVersion(ctx, id, version_id);
  const version = await findVersion(ctx, id, requested);
  if (!version) throw invalid("body.version_id", "is not a version of this workflow", requested);
  return version;
}
