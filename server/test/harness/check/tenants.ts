import type { History, Timing } from "../history.ts";

/** Next to another tenant's work, the same work may take this many times as long. */
const MAX_RATIO = 2;
/** Below this the noise of a shared machine dominates. */
const FLOOR_MS = 50;

/** S3 */
export function noTenantWaits({ timings }: History): string[] {
  return timings.filter(isLate).map((timing) => {
    const { what } = timing;
    return `${what} took ${Math.round(median(timing.contended_ms))} ms next to another project, ${Math.round(median(timing.alone_ms))} ms alone`;
  });
}

function isLate({ alone_ms, contended_ms }: Timing): boolean {
  return median(contended_ms) > Math.max(FLOOR_MS, median(alone_ms)) * MAX_RATIO;
}

/** For each: the time alone, the time next to other work, and the ratio. */
export function tenantFigures({
  timings,
}: History): { what: string; alone_ms: number; contended_ms: number; ratio: number }[] {
  return timings.map(({ what, alone_ms, contended_ms }) => {
    const [alone, contended] = [median(alone_ms), median(contended_ms)];
    return {
      what,
      alone_ms: Math.round(alone),
      contended_ms: Math.round(contended),
      ratio: Math.round((contended / alone) * 10) / 10,
    };
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
