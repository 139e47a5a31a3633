import { readRollups } from "../rollups/read-rollups.ts";
import { endsOf } from "./measures.ts";
import type { Reader } from "./open-reader.ts";

type Ends = { ended_by_bucket: number[]; failed_by_bucket: number[] };

/** How many runs of each of these jobs ended in each bucket, and how many of them failed: for sparklines. */
export async function endsByBucket(reader: Reader<"runs">, subject_ids: readonly string[]): Promise<Map<string, Ends>> {
  const { from_ms, to_ms, bucket_ms } = reader.range;
  const none = () => Array<number>(Math.ceil((to_ms - from_ms) / bucket_ms)).fill(0);
  const ends = new Map(subject_ids.map((id) => [id, { ended_by_bucket: none(), failed_by_bucket: none() }]));
  if (subject_ids.length === 0) return ends;
  const rows = await readRollups(reader, {
    ...{ split: "job", by: ["subject", "time"], subject_ids, withoutDurations: true },
  });
  for (const { subject_id, starts_at, counts } of rows) {
    const of = ends.get(subject_id);
    if (!of) continue;
    const nth = (Date.parse(starts_at ?? "") - from_ms) / bucket_ms;
    of.ended_by_bucket[nth] = endsOf(counts);
    of.failed_by_bucket[nth] = counts.failed + counts.timed_out;
  }
  return ends;
}
