import { type PointerEvent, useState } from "react";

type Bars = {
  times: number[];
  bucketSecs: number;
  onPick?: (from: number, to: number, label: string | undefined) => void;
  onBrush?: (from: number, to: number) => void;
};

/** Pointer handling of bars: hover, click, or drag to select a range. `sums`: total of each bar. */
export function useBarPointer({ times, bucketSecs, onPick, onBrush }: Bars, sums: readonly number[]) {
  const [marked, setMarked] = useState<[number, number]>();
  const [hovered, setHovered] = useState<number>();
  const [first, last] = marked ? [Math.min(...marked), Math.max(...marked)] : [-1, -1];
  const indexOf = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(times.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * times.length)));
  };
  const release = ({ target }: PointerEvent) => {
    if (!marked) return;
    setMarked(undefined);
    const [from, to] = [times[first] ?? 0, (times[last] ?? 0) + bucketSecs];
    if (first !== last && onBrush) return onBrush(from, to);
    const label = (target as Element).closest("[data-series]")?.getAttribute("data-series");
    if ((sums[first] ?? 0) > 0) onPick?.(from, from + bucketSecs, label ?? undefined);
  };
  const pointer = {
    onPointerDown: (event: PointerEvent) => setMarked([indexOf(event), indexOf(event)]),
    onPointerMove: (event: PointerEvent) => {
      setHovered(indexOf(event));
      if (marked && event.buttons === 1) setMarked([marked[0], indexOf(event)]);
    },
    onPointerUp: release,
    onPointerLeave: () => {
      setHovered(undefined);
      setMarked(undefined);
    },
  };
  return { hovered, isLit: (nth: number) => nth === hovered || (nth >= first && nth <= last), pointer };
}
