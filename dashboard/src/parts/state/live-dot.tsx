import { cx } from "../class-names.ts";

export type LiveState = "live" | "paused" | "connecting" | "offline";

const LOOKS: Record<LiveState, { label: string; className: string }> = {
  live: { label: "Live", className: "bg-success" },
  paused: { label: "Paused", className: "bg-transparent border-2 border-waiting" },
  connecting: { label: "Connecting", className: "bg-retrying animate-breathe" },
  offline: { label: "Offline", className: "bg-transparent border-2 border-failed" },
};

/** State of the live connection. */
export function LiveDot({ state, label = true }: { state: LiveState; label?: boolean }) {
  const look = LOOKS[state];
  return (
    <span className="inline-flex items-center gap-1.5 text-ink-2 text-xs">
      <span className={cx("size-2 flex-none rounded-full", look.className)} aria-hidden="true" />
      <span className={label ? "" : "sr-only"}>{look.label}</span>
    </span>
  );
}
