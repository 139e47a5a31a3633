/** Common queries. A preset only fills the filter bar. */
export const RUN_PRESETS = [
  { id: "all", label: "All", q: "" },
  { id: "live", label: "Open", q: "is:live" },
  { id: "attention", label: "Needs attention", q: "status:failed,timed_out" },
  { id: "waiting", label: "Waiting", q: "status:waiting,paused" },
  { id: "dead", label: "Dead letter", q: "is:dead" },
] as const;

export function presetOf(q: string): string {
  return RUN_PRESETS.find((preset) => preset.q === q.trim())?.id ?? "";
}
