import type { VersionImpact } from "@millrace/contract/workflow-versions";
import type { ProjectCtx } from "../../../platform/context.ts";
import { getWorkflowVersion } from "./get-workflow-version.ts";
import { readStepImpact } from "./step-impact-queries.ts";
import { countImpact } from "./version-queries.ts";

const MAX_SAMPLED = 1_000;
const MAX_WITH_STEPS = 200;

/** Returns how many of the newest runs that the caller may see are on the version, and the outcomes of their steps. */
export async function getImpact(
  ctx: ProjectCtx,
  ref: string,
  version_id: string,
): Promise<Omit<VersionImpact, "$schema">> {
  const version = await getWorkflowVersion(ctx, ref, version_id);
  const { workflow_id, id, version: number } = version;
  const [impact, { of_runs, steps }] = await Promise.all([
    countImpact(ctx, version, MAX_SAMPLED),
    readStepImpact(ctx, version, MAX_WITH_STEPS),
  ]);
  return { workflow_id, version_id: id, version: number, ...impact, steps_of_runs: of_runs, steps };
}
