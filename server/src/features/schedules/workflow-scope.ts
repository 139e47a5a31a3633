import { holdsScope, type Scope } from "@millrace/contract/scopes";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";

/** A schedule of a workflow does what the workflow's own paths do, so it requires the same scopes. */
export function requireWorkflowScope({ caller }: ProjectCtx, scope: Scope): void {
  if (holdsScope(caller.scopes, scope)) return;
  throw new ApiError("scope_missing", `This is a schedule of a workflow, which requires the scope ${scope}.`);
}
