/** How it was started, and by whom. A workflow run or a schedule is linked beside it, and not named by its id here. */
export function startedBy({ trigger_type, created_by }: { trigger_type: string; created_by: string }): string {
  const isThing = created_by.startsWith("workflow_run:") || created_by.startsWith("schedule:");
  return isThing ? trigger_type : `${trigger_type} by ${created_by}`;
}
