import type { WorkflowDiff } from "@millrace/contract/workflow-versions";
import { type ComparedVersion, diffDefinitions } from "../../../flow/workflows/plan/diff-definitions.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { getWorkflowVersion } from "./get-workflow-version.ts";

type VersionPair = { workflowID: string; fromVersionID: string; toVersionID: string };

export async function diffVersions(ctx: ProjectCtx, pair: VersionPair): Promise<Omit<WorkflowDiff, "$schema">> {
  const from = await getWorkflowVersion(ctx, pair.workflowID, pair.fromVersionID);
  const to = await getWorkflowVersion(ctx, pair.workflowID, pair.toVersionID);
  return {
    workflow_id: from.workflow_id,
    from_version_id: from.id,
    from_version: from.version,
    to_version_id: to.id,
    to_version: to.version,
    ...(await inSlices(diffDefinitions(from as ComparedVersion, to as ComparedVersion))),
  };
}
