import type { EventTrigger } from "@millrace/contract/events/events";

export type Step = { from_ms: number; to_ms: number; count: number };

const BOUNDS_MS = [
  1_000,
  5_000,
  15_000,
  60_000,
  300_000,
  900_000,
  3_600_000,
  21_600_000,
  86_400_000,
  604_800_000,
  Number.POSITIVE_INFINITY,
];

/** Wait times in round buckets, without empty buckets at both ends. */
export function receiveSteps(received: readonly EventTrigger[]): { steps: Step[]; times: number[] } {
  const times = received
    .flatMap(({ requested_at, received_at }) =>
      received_at === null ? [] : [Math.max(0, Date.parse(received_at) - Date.parse(requested_at))],
    )
    .sort((a, b) => a - b);
  const all = BOUNDS_MS.map((to_ms, nth) => {
    const from_ms = BOUNDS_MS[nth - 1] ?? 0;
    return { from_ms, to_ms, count: times.filter((ms) => ms >= from_ms && ms < to_ms).length };
  });
  const first = all.findIndex(({ count }) => count > 0);
  const last = all.findLastIndex(({ count }) => count > 0);
  return { steps: first === -1 ? [] : all.slice(first, last + 1), times };
}

/** The smallest value that is not exceeded by at least this percentage of the values (nearest rank). */
export function percentileOf(sorted: readonly number[], percentile: number): number | undefined {
  return sorted[Math.max(0, Math.ceil((sorted.length * percentile) / 100) - 1)];
}
