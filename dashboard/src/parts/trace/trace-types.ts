/** A span, or a point in time, of a trace, with its position in the tree. Times are in milliseconds. */
export type TraceItem = {
  id: string;
  parentId: string | null;
  kind: string;
  label: string;
  /** What it waits for, after the label. */
  note?: string | undefined;
  status: string;
  from: number;
  /** Null: not finished. */
  to: number | null;
  /** Queue, backoff, waits and sleeps: drawn thin, and collapsed when long. */
  isIdle: boolean;
  /** A point in time: a log line or a checkpoint. */
  isMoment: boolean;
  /** Its children are loaded when it is expanded. */
  isLazy: boolean;
  isLoading: boolean;
};

/** The visible share of the scale, from 0 to 1. */
export type TraceWindow = { from: number; to: number };

export const WHOLE: TraceWindow = { from: 0, to: 1 };
const NARROWEST = 1e-5;

/** Zooms by a factor around a point of the scale. */
export function zoomed({ from, to }: TraceWindow, factor: number, around: number): TraceWindow {
  const width = Math.min(1, Math.max(NARROWEST, (to - from) * factor));
  const share = (around - from) / (to - from);
  return shifted({ from: around - share * width, to: around + (1 - share) * width }, 0);
}

/** Moves the window, within the scale. */
export function shifted({ from, to }: TraceWindow, by: number): TraceWindow {
  const width = Math.min(1, to - from);
  const left = Math.min(1 - width, Math.max(0, from + by));
  return { from: left, to: left + width };
}
