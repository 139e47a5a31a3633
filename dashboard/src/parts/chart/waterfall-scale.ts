export type Span = { start: number; end: number; isIdle: boolean };

type Part = { from: number; to: number; ms: number; left: number; width: number; isFolded: boolean };

/** A position as a share of the width, and back. `breaks`: collapsed idle time. */
export type Scale = {
  place: (at: number) => number;
  timeAt: (share: number) => number;
  parts: readonly Part[];
  breaks: { from: number; to: number; ms: number }[];
};

const FOLDED = 0.07; // share of the width
const MAX_COLLAPSED = 0.5;

/** Maps time to width. A gap longer than twice the work is collapsed, because a wait may last months. */
export function scaleOf(spans: readonly Span[]): Scale {
  const gaps = gapsOf(spans);
  const work = gaps.reduce((sum, { from, to, isIdle }) => sum + (isIdle ? 0 : to - from), 0);
  const isFolded = (ms: number, isIdle: boolean) => isIdle && work > 0 && ms > Math.max(2 * work, 1_000);
  const folded = gaps.filter(({ from, to, isIdle }) => isFolded(to - from, isIdle)).length;
  const each = folded === 0 ? 0 : Math.min(FOLDED, MAX_COLLAPSED / folded);
  const shown = gaps.reduce((sum, { from, to, isIdle }) => sum + (isFolded(to - from, isIdle) ? 0 : to - from), 0) || 1;
  let left = 0;
  const parts = gaps.map(({ from, to, isIdle }): Part => {
    const ms = to - from;
    const width = isFolded(ms, isIdle) ? each : (ms / shown) * (1 - each * folded);
    left += width;
    return { from, to, ms, left: left - width, width, isFolded: isFolded(ms, isIdle) };
  });
  return {
    parts,
    place: (at) => placeOf(parts, at),
    timeAt: (share) => timeOf(parts, share),
    breaks: parts.flatMap((part) =>
      part.isFolded ? [{ from: part.left, to: part.left + part.width, ms: part.ms }] : [],
    ),
  };
}

/** Alternating intervals of work and idle time, from the first start to the last end. */
function gapsOf(spans: readonly Span[]): { from: number; to: number; isIdle: boolean }[] {
  if (spans.length === 0) return [];
  const [first, last] = spans.reduce(([a, b], { start, end }) => [Math.min(a, start), Math.max(b, end)], [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ] as [number, number]);
  const busy = spans.filter(({ isIdle, start, end }) => !isIdle && end > start).sort((a, b) => a.start - b.start);
  const gaps: { from: number; to: number; isIdle: boolean }[] = [];
  let at = first;
  for (const { start, end } of busy) {
    if (start > at) gaps.push({ from: at, to: start, isIdle: true });
    const before = gaps.at(-1);
    if (before && !before.isIdle && start <= before.to) before.to = Math.max(before.to, end);
    else gaps.push({ from: Math.max(at, start), to: end, isIdle: false });
    at = Math.max(at, end);
  }
  if (last > at) gaps.push({ from: at, to: last, isIdle: true });
  return gaps;
}

function placeOf(parts: readonly Part[], at: number): number {
  const part = find(parts, (each) => at <= each.to);
  if (!part) return 0;
  const inside = part.ms === 0 ? 0 : (Math.min(at, part.to) - part.from) / part.ms;
  return part.left + Math.max(0, inside) * part.width;
}

function timeOf(parts: readonly Part[], share: number): number {
  const part = find(parts, (each) => share <= each.left + each.width);
  if (!part) return 0;
  const inside = part.width === 0 ? 0 : (Math.min(share, part.left + part.width) - part.left) / part.width;
  return part.from + Math.max(0, inside) * part.ms;
}

/** The first part for which the condition holds, or the last one; parts are sorted. */
function find(parts: readonly Part[], isReached: (part: Part) => boolean): Part | undefined {
  let [low, high] = [0, parts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isReached(parts[middle] as Part)) high = middle;
    else low = middle + 1;
  }
  return parts[low];
}
