import type { Caller, TokenLimits } from "../../context.ts";

/** A run, or (without `workflow_run_id`) a workflow run. */
type Limited = { id: string; tags: Record<string, string>; workflow_run_id?: string | null };

/** Undefined: the caller is limited only by scopes and environment. */
export function tokenLimitsOf(caller: Caller): TokenLimits | undefined {
  return caller.kind === "api_key" ? caller.limits : undefined;
}

/** Whether the token may see a run. A workflow run includes the runs of its steps. */
export function isRunWithin(limits: TokenLimits | undefined, { id, tags, workflow_run_id }: Limited): boolean {
  if (!limits) return true;
  const isOfWorkflow = typeof workflow_run_id === "string" && limits.workflow_run_ids.includes(workflow_run_id);
  return limits.run_ids.includes(id) || isOfWorkflow || carries(tags, limits.tags);
}

export function isWorkflowRunWithin(limits: TokenLimits | undefined, { id, tags }: Limited): boolean {
  return !limits || limits.workflow_run_ids.includes(id) || carries(tags, limits.tags);
}

function carries(tags: Record<string, string>, required: TokenLimits["tags"]): boolean {
  return required !== null && Object.entries(required).every(([name, value]) => tags[name] === value);
}
