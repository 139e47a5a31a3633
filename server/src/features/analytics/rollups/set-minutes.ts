import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { GRAINS, type Series, SPLITS } from "../reports/series.ts";
import { addRollups } from "./add-rollups.ts";
import { inChunks } from "./in-chunks.ts";
import { addEncoded } from "./sketch.ts";
import {
  addBucket,
  type Bucket,
  bucketOf,
  isNothing,
  type RollupKey,
  rollupOf,
  rowsOf,
  type Tallies,
} from "./tallies.ts";

/** Stored rows subtracted without yielding to the event loop. */
const CHUNK = 500;

type Minutes = {
  series: Series;
  from: string;
  /** Absent: everything since. */
  to?: string;
  /** The true contents of these minutes. The call modifies it. */
  found: Tallies;
  /** Absent: the projects in `found`. */
  projects?: readonly string[];
  /** Absent: all splits of the series. Other splits in `found` are ignored. */
  splits?: readonly string[];
  /** False: a stored count stays where the recount is lower. Absent: true. */
  canFall?: boolean;
};

/**
 * Makes minutes match the recount, and adds the differences to their hours and days too. Returns the number of rows
 * that differed.
 */
export async function setMinutes(
  tx: Ctx & InTransaction,
  { found, canFall = true, ...minutes }: Minutes,
): Promise<number> {
  if (minutes.splits) dropOthers(found, minutes.splits);
  const projects = minutes.projects ?? [...new Set([...found.values()].map(({ project_id }) => project_id))];
  if (projects.length === 0) return 0;
  await inChunks(await readMinutes(tx, { ...minutes, projects }), CHUNK, ({ bucket_at, sketch, counts, ...key }) => {
    const bucket = bucketOf(rollupOf(found, key), GRAINS.minute, Date.parse(bucket_at) / 1_000);
    addBucket(bucket, { counts, sketch: sketch ? addEncoded(new Map(), sketch) : undefined }, -1);
  });
  let differing = 0;
  for (const row of rowsOf(found.values())) {
    if (!canFall) dropFallen(row);
    if (isNothing(row)) row.rollup.buckets.get(row.grain)?.delete(row.at_s);
    else differing += 1;
  }
  await addRollups(tx, found);
  return differing;
}

function dropOthers(found: Tallies, splits: readonly string[]): void {
  for (const [name, { split }] of found) if (!splits.includes(split)) found.delete(name);
}

function dropFallen({ counts }: Bucket): void {
  for (const [index, count] of counts.entries()) counts[index] = Math.max(0, count);
}

type Stored = RollupKey & { bucket_at: string; counts: number[]; sketch: Buffer | null };

async function readMinutes(
  tx: Ctx & InTransaction,
  { series, from, to, projects, splits = SPLITS[series] }: Omit<Minutes, "found">,
): Promise<Stored[]> {
  const { rows } = await sql<Stored>`
    select r.* from unnest(${projects}::uuid[]) as p(project_id)
    cross join unnest(${[...splits]}::text[]) as s(split)
    cross join lateral (
      select r.project_id, r.series, r.split, r.bucket_at, r.subject_id, r.environment_id, r.part,
        array_to_json(r.counts) as counts, r.sketch
      from rollups r
      where r.project_id = p.project_id and r.series = ${series} and r.split = s.split and r.grain = ${GRAINS.minute}
        and r.bucket_at >= ${from} and r.bucket_at < ${to ?? "infinity"}::timestamptz offset 0
    ) r`.execute(tx.db);
  return rows;
}
