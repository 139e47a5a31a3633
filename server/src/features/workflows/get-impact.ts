import type { VersionImpact } from "@millrace/contract/workflow-versions";
import type { ProjectCtx } from "../../platform/context.ts";
import { getWorkflowVersion } from "./get-workflow-version.ts";
import { countImpact } from "./version-queries.ts";

const MOST_SAMPLED = 1_000;

/** How many of the newest runs, of those that the caller may see, are on the version. */
export async function getImpact(
  ctx: ProjectCtx,
  ref: string,
  version_id: string,
): Promise<Omit<VersionImpact, "$schema">> {
  const version = await getWorkflowVersion(ctx, ref, version_id);
  const { workflow_id, id, version: number } = version;
  const impact = await countImpact(ctx, version, MOST_SAMPLED);
  return { workflow_id, version_id: id, version: number, ...impact };
}
