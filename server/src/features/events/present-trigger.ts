import type { EventTrigger } from "@millrace/contract/events";
import { holdsScope } from "@millrace/contract/scopes";
import type { TriggerRow } from "../../flow/waits/read-trigger.ts";
import { callbackUrl } from "../../platform/access/callback-token.ts";
import { limitsOf } from "../../platform/access/token-limits.ts";
import type { ProjectCtx } from "../../platform/context.ts";

/** `message`: what it asks. Waits that can be sent to ask nothing. */
export function presentTrigger(ctx: ProjectCtx, row: TriggerRow, message: string | null = null): EventTrigger {
  const { project_id, id: trigger_id, status, wait_kind } = row;
  const isOpen = status === "waiting" && wait_kind === "event" && maySend(ctx);
  return { ...row, message, callback_url: isOpen ? callbackUrl(ctx, { project_id, trigger_id }) : null };
}

/** The address does what a send does, so it is shown to those alone who may send here. */
function maySend({ caller, project_id }: ProjectCtx): boolean {
  // A key that reads the other projects of its organisation changes nothing in them.
  const isAtHome = caller.kind !== "api_key" || caller.project_id === project_id;
  // A narrow token ends within the hour, and the address does not.
  return isAtHome && !limitsOf(caller) && holdsScope(caller.scopes, "events:send");
}
