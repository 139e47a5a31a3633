import type { ProjectCtx } from "../../platform/context.ts";

/** Who sends, and where he reaches waits: a key that is bound to an environment there alone. */
export function senderOf({ project_id, caller }: ProjectCtx) {
  return { project_id, sent_by: caller.name, environment_id: caller.kind === "api_key" ? caller.environment_id : null };
}
