import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";

/** The sender, and where it reaches waits: a bound key only in its environment. */
export function senderOf({ project_id, caller }: ProjectCtx) {
  const { id: sent_by_id, name: sent_by } = actorOf(caller);
  return { project_id, sent_by, sent_by_id, environment_id: boundEnvironment(caller) };
}
