/** `3s ago` or `5m ago`; `in 3s` for future times. */
export function agoOf(instant: string | null, now = Date.now()): string {
  if (instant === null) return "";
  const ms = now - Date.parse(instant);
  return ms < 0 ? `in ${lengthOf(-ms)}` : `${lengthOf(ms)} ago`;
}

/** `in 3s`, or `now` for a time that has passed: by this clock, the service's "now" may be some milliseconds ago. */
export function startsOf(instant: string, now = Date.now()): string {
  return Date.parse(instant) <= now ? "now" : agoOf(instant, now);
}

/** The duration from one time to another, or until now. Empty before the start. */
export function tookOf(from: string | null, to: string | null, now = Date.now()): string {
  if (from === null) return "";
  return lengthOf(Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from)));
}

export function lengthOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)}s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}m${String(Math.floor(ms / 1_000) % 60).padStart(2, "0")}s`;
  if (ms < 172_800_000)
    return `${Math.floor(ms / 3_600_000)}h${String(Math.floor(ms / 60_000) % 60).padStart(2, "0")}m`;
  return `${Math.floor(ms / 86_400_000)}d`;
}
