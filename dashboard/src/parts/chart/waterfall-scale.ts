export type Span = { start: number; end: number; isIdle: boolean };

/** A position as a share of the width. `breaks`: collapsed idle time. */
export type Scale = { place: (at: number) => number; breaks: { from: number; to: number; ms: number }[] };

const FOLDED = 0.07; // share of the width
const MAX_COLLAPSED = 0.5;

/** Maps time to width. A gap longer than all work is collapsed, because a wait may last months. */
export function scaleOf(spans: Span[]): Scale {
  const edges = [...new Set(spans.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const parts = edges.slice(0, -1).map((from, nth) => {
    const to = edges[nth + 1] ?? from;
    const isIdle = spans.every((span) => span.isIdle || span.end <= from || span.start >= to);
    return { from, to, ms: to - from, isIdle };
  });
  const work = parts.reduce((sum, { ms, isIdle }) => sum + (isIdle ? 0 : ms), 0);
  const folded = work === 0 ? [] : parts.filter(({ ms, isIdle }) => isIdle && ms > Math.max(2 * work, 1_000));
  const each = folded.length === 0 ? 0 : Math.min(FOLDED, MAX_COLLAPSED / folded.length);
  const unfolded = parts.reduce((sum, part) => sum + (folded.includes(part) ? 0 : part.ms), 0) || 1;
  let at = 0;
  const placed = parts.map((part) => {
    const width = folded.includes(part) ? each : (part.ms / unfolded) * (1 - each * folded.length);
    at += width;
    return { ...part, left: at - width, width };
  });
  return {
    place: (instant) => placeOf(placed, instant),
    breaks: placed.flatMap(({ left, width, ms }, nth) => {
      const part = parts[nth];
      return part && folded.includes(part) ? [{ from: left, to: left + width, ms }] : [];
    }),
  };
}

type Placed = { from: number; to: number; ms: number; left: number; width: number };

function placeOf(placed: Placed[], instant: number): number {
  const last = placed.at(-1);
  if (!last) return 0;
  const part = placed.find(({ to }) => instant <= to) ?? last;
  const inside = part.ms === 0 ? 0 : (Math.min(instant, part.to) - part.from) / part.ms;
  return part.left + Math.max(0, inside) * part.width;
}
