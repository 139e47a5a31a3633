/** Whether a run may start after a dependency that has ended with this status. */
export function isSatisfied(condition: "completed" | "ended", status: string): boolean {
  return condition === "ended" || status === "completed";
}
