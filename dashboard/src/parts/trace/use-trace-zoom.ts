import { type RefObject, useEffect, useState } from "react";
import { useLatest } from "../use-latest.ts";
import { shifted, type TraceWindow, WHOLE, zoomed } from "./trace-types.ts";

/** Pinching, or the wheel with a modifier, zooms around the pointer; scrolling sideways moves. */
export function useTraceZoom(tracks: RefObject<HTMLElement | null>) {
  const [window, setWindow] = useState<TraceWindow>(WHOLE);
  const latest = useLatest(window);
  useEffect(() => {
    const node = tracks.current;
    if (!node) return;
    const onWheel = (event: WheelEvent) => {
      const isZoom = event.ctrlKey || event.metaKey;
      if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
      event.preventDefault();
      const track = node.querySelector("[data-axis] > :nth-child(2)")?.getBoundingClientRect();
      const { from, to } = latest.current;
      if (!track) return;
      const share = Math.min(1, Math.max(0, (event.clientX - track.left) / track.width));
      setWindow(
        isZoom
          ? zoomed(latest.current, Math.exp(event.deltaY / 300), from + share * (to - from))
          : shifted(latest.current, (event.deltaX / track.width) * (to - from)),
      );
    };
    // Not as a React handler: those are passive and could not prevent the page's own zoom.
    node.addEventListener("wheel", onWheel, { passive: false });
    return () => node.removeEventListener("wheel", onWheel);
  }, [tracks, latest]);
  return { window, setWindow };
}
