import type { ProjectCtx } from "../../../platform/context.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { getWorkflowRun } from "../get-workflow-run.ts";
import { readCapsuleContent } from "./capsule-content.ts";
import { writeCapsule } from "./capsule-document.ts";

export async function exportCapsule(ctx: ProjectCtx, id: string): Promise<string> {
  const content = await readCapsuleContent(ctx, await getWorkflowRun(ctx, id));
  return (await inSlices(writeCapsule(content))).document;
}
