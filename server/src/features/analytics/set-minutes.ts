import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { addRollups } from "./add-rollups.ts";
import { inTurns } from "./in-turns.ts";
import { GRAINS, type Series, SPLITS } from "./series.ts";
import { addEncoded } from "./sketch.ts";
import {
  addBucket,
  type Bucket,
  bucketOf,
  isNothing,
  type PlaceKey,
  placeOf,
  rowsOf,
  type Tallies,
} from "./tallies.ts";

/** Of what is stored, so many rows are taken off without a pause. */
const TURN = 500;

type Minutes = {
  series: Series;
  from: string;
  /** Absent: all that came since. */
  to?: string;
  /** What these minutes hold in truth. Used up. */
  found: Tallies;
  /** Absent: those of which something was found. */
  projects?: readonly string[];
  /** Absent: all of the series. What is found of the others is left out. */
  splits?: readonly string[];
  /** False: what is there stays where less was found. Absent: true. */
  canFall?: boolean;
};

/**
 * Makes minutes hold what was found, and the hours and days with them: by what they differ. Answers how many rows
 * differed.
 */
export async function setMinutes(
  tx: Ctx & InTransaction,
  { found, canFall = true, ...minutes }: Minutes,
): Promise<number> {
  if (minutes.splits) dropOthers(found, minutes.splits);
  const projects = minutes.projects ?? [...new Set([...found.values()].map(({ project_id }) => project_id))];
  if (projects.length === 0) return 0;
  await inTurns(await readMinutes(tx, { ...minutes, projects }), TURN, ({ bucket_at, sketch, counts, ...key }) => {
    const bucket = bucketOf(placeOf(found, key), GRAINS.minute, Date.parse(bucket_at) / 1_000);
    addBucket(bucket, { counts, sketch: sketch ? addEncoded(new Map(), sketch) : undefined }, -1);
  });
  let differing = 0;
  for (const row of rowsOf(found.values())) {
    if (!canFall) dropFallen(row);
    if (isNothing(row)) row.place.buckets.get(row.grain)?.delete(row.at_s);
    else differing += 1;
  }
  await addRollups(tx, found);
  return differing;
}

function dropOthers(found: Tallies, splits: readonly string[]): void {
  for (const [name, { split }] of found) if (!splits.includes(split)) found.delete(name);
}

function dropFallen({ counts }: Bucket): void {
  for (const [nth, count] of counts.entries()) counts[nth] = Math.max(0, count);
}

type Stored = PlaceKey & { bucket_at: string; counts: number[]; sketch: Buffer | null };

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
