import type { EventTrigger } from "@millrace/contract/events";
import { holdsScope } from "@millrace/contract/scopes";
import type { TriggerRow } from "../../flow/waits/read-trigger.ts";
import { callbackUrl } from "../../platform/access/credentials/callback-token.ts";
import { limitsOf } from "../../platform/access/credentials/token-limits.ts";
import type { ProjectCtx } from "../../platform/context.ts";

/** `message`: the question of an approval. Waits that accept a send have none. */
export function presentTrigger(ctx: ProjectCtx, row: TriggerRow, message: string | null = null): EventTrigger {
  const { project_id, id: trigger_id, status, wait_kind } = row;
  const isOpen = status === "waiting" && wait_kind === "event" && maySend(ctx);
  return { ...row, message, callback_url: isOpen ? callbackUrl(ctx, { project_id, trigger_id }) : null };
}

/** The URL allows sending, so it is shown only to callers who may send here. */
function maySend({ caller, project_id }: ProjectCtx): boolean {
  // A key that reads the other projects of its organization cannot change them.
  const isOwnProject = caller.kind !== "api_key" || caller.project_id === project_id;
  // A scoped token expires within the hour, but the URL does not.
  return isOwnProject && !limitsOf(caller) && holdsScope(caller.scopes, "events:send");
}
