import type { Job } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";

export type RateLimit = Job["rate_limit_keys"][number];
export type Starts = { key: string; times: number[] };

const TOP = 10;

/** Starts within the current window by limit key, most first. */
export function startsOf(runs: readonly Run[], { key, window_secs }: Omit<RateLimit, "name">, now: number): Starts[] {
  const byKey = new Map<string, number[]>();
  for (const { started_at, payload } of runs) {
    const at = started_at === null ? 0 : Date.parse(started_at);
    const name = rendered(key, payload);
    if (at > now - window_secs * 1_000 && name !== undefined) byKey.set(name, [...(byKey.get(name) ?? []), at]);
  }
  return [...byKey]
    .map(([name, times]) => ({ key: name, times: times.sort((a, b) => a - b) }))
    .sort((a, b) => b.times.length - a.times.length)
    .slice(0, TOP);
}

/** When the next run may start, if the limit is reached. */
export function roomAt({ times }: Starts, max: number, window_secs: number): number | undefined {
  const first = times[times.length - max];
  return first === undefined ? undefined : first + window_secs * 1_000;
}

/** Evaluates `{{payload.customer.id}}`; undefined if the value is missing, then the limit does not apply. */
function rendered(template: string, payload: unknown): string | undefined {
  let isWhole = true;
  const text = template.replace(/\{\{\s*payload\.([\w.-]+)\s*\}\}/g, (_, path: string) => {
    const value = path.split(".").reduce<unknown>((inner, name) => (inner as Record<string, unknown>)?.[name], payload);
    if (value === undefined || value === null) isWhole = false;
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  });
  return isWhole ? text : undefined;
}
