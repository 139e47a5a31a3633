import { readRollups } from "../rollups/read-rollups.ts";
import type { Read, Sums } from "../rollups/rollup-rows.ts";
import { endsOf } from "./measures.ts";
import type { Reader } from "./open-reader.ts";
import { DAY_MS } from "./range.ts";
import { EVER, segmentsOf } from "./series.ts";

type WholeSplit = "all" | "trigger" | "wait";

const OF_JOBS = { all: "job", trigger: "job_trigger", wait: "job_wait" } as const;

/** Sums over all jobs. */
export function readRuns(
  reader: Reader<"runs">,
  { split, ...read }: Omit<Read<"runs">, "split"> & { split: WholeSplit },
): Promise<Sums<"runs">[]> {
  return readRollups(reader, { ...read, split: splitOf(reader, split, read.subject_ids) });
}

/** With a filter or restricted access, sums are over the rows of each visible job. */
export function splitOf<W extends WholeSplit>(
  { isRestricted }: Reader<"runs">,
  split: W,
  subject_ids: readonly string[] | undefined,
): W | (typeof OF_JOBS)[W] {
  return isRestricted || subject_ids !== undefined ? OF_JOBS[split] : split;
}

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
  return Math.max(0, countOpen(ever[0]?.counts) - countOpen(since[0]?.counts));
}

type Flow = Parameters<typeof endsOf>[0] & { created: number };

function countOpen(counts: Flow | undefined): number {
  return counts ? counts.created - endsOf(counts) : 0;
}
