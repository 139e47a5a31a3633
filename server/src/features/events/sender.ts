import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";

/** Who sends, and where he reaches waits: a key that is bound to an environment there alone. */
export function senderOf({ project_id, caller }: ProjectCtx) {
  const { id: sent_by_id, name: sent_by } = actorOf(caller);
  return { project_id, sent_by, sent_by_id, environment_id: boundEnvironment(caller) };
}
