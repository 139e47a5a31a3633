/** Whether a run may go on after another that has ended so. */
export function isSatisfied(condition: "completed" | "ended", status: string): boolean {
  return condition === "ended" || status === "completed";
}
