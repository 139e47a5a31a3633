import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import type { ProjectCtx } from "../../platform/context.ts";

/** Who sends, and where he reaches waits: a key that is bound to an environment there alone. */
export function senderOf({ project_id, caller }: ProjectCtx) {
  return { project_id, sent_by: caller.name, environment_id: boundEnvironment(caller) };
}
