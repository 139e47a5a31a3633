import type { ReactNode } from "react";

/** Status shapes, 16 × 16, in `currentColor`. Each is distinguishable without color. */
export const MARK_SHAPES = {
  check: (
    <>
      <circle cx="8" cy="8" r="6.75" fill="currentColor" />
      <path d="m5 8.2 2 2 4-4.2" stroke="var(--color-bg)" strokeWidth="1.6" />
    </>
  ),
  arc: (
    <>
      <circle cx="8" cy="8" r="5.75" opacity="0.3" className="motion-reduce:hidden" />
      <path d="M8 2.25A5.75 5.75 0 0 1 13.75 8" className="origin-center animate-spin motion-reduce:hidden" />
      <g className="hidden motion-reduce:block">
        <circle cx="8" cy="8" r="5.75" strokeDasharray="4.5 4.53" strokeLinecap="butt" strokeWidth="2" />
        <circle cx="8" cy="8" r="1.75" fill="currentColor" stroke="none" />
      </g>
    </>
  ),
  hourglass: <path d="M4 2h8M4 14h8M5 2v2.5L8 8l3-3.5V2M5 14v-2.5L8 8l3 3.5V14" />,
  moon: <path d="M13 9.4A5.4 5.4 0 1 1 6.6 3 4.4 4.4 0 0 0 13 9.4Z" />,
  bars: <path d="M5.5 3.5v9M10.5 3.5v9" strokeWidth="2.2" />,
  circle: <circle cx="8" cy="8" r="5.75" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 5v3l2 1.5" />
    </>
  ),
  dash: (
    <>
      <circle cx="8" cy="8" r="5.75" strokeDasharray="2 2" />
      <path d="M5.5 8h5" />
    </>
  ),
  slash: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="m4 12 8-8" strokeWidth="2.2" />
    </>
  ),
  again: <path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.6h-2.6" />,
  octagon: (
    <>
      <path d="M5.3 1.6h5.4l3.7 3.7v5.4l-3.7 3.7H5.3l-3.7-3.7V5.3Z" fill="currentColor" stroke="none" />
      <path d="m5.9 5.9 4.2 4.2m0-4.2-4.2 4.2" stroke="var(--color-bg)" strokeWidth="1.6" />
    </>
  ),
  clockEnded: (
    <>
      <path d="M13.6 6.7A5.75 5.75 0 1 0 7 13.7M8 5v3l-1.5 1.5" />
      <path d="m10 10.5 4 4m0-4-4 4" strokeWidth="1.8" />
    </>
  ),
  tombstone: <path d="M3.5 14V6.5a4.5 4.5 0 0 1 9 0V14M2 14h12M8 5v5M6.2 6.8h3.6" />,
  diamond: <path d="M8 1.8 14.2 8 8 14.2 1.8 8Z" />,
} satisfies Record<string, ReactNode>;

export type MarkShape = keyof typeof MARK_SHAPES;
