import { endsOf } from "./measures.ts";
import type { Reader } from "./open-reader.ts";
import { DAY_MS } from "./range.ts";
import { readRuns } from "./read-runs.ts";
import { EVER, segmentsOf } from "./segments.ts";

/** How many runs were open at the end of the requested range: all that ever began minus the later changes. */
export async function readOpenAfter(reader: Reader<"runs">, subject_ids?: readonly string[]): Promise<number> {
  const { ctx, range, finest } = reader;
  const tomorrow_ms = Math.ceil(ctx.watch.nowMs() / DAY_MS + 1) * DAY_MS;
  const later = segmentsOf(range.to_ms, tomorrow_ms, finest);
  const of = { split: "all", ...(subject_ids && { subject_ids }) } as const;
  const [ever, since] = await Promise.all([
    readRuns(reader, { ...of, segments: EVER }),
    later.length > 0 ? readRuns(reader, { ...of, segments: later }) : [],
  ]);
  return Math.max(0, openOf(ever[0]?.counts) - openOf(since[0]?.counts));
}

type Flow = Parameters<typeof endsOf>[0] & { created: number };

function openOf(counts: Flow | undefined): number {
  return counts ? counts.created - endsOf(counts) : 0;
}
