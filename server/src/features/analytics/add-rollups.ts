import { sql } from "kysely";
import { fewRows } from "../../flow/workflows/few-rows.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { GRAINS, KEPT_FOR_EVER } from "./series.ts";
import { addSketch, encodeSketch, mergeEncoded, type Sketch } from "./sketch.ts";
import type { Tallies, Tally } from "./tallies.ts";

export type Rollup = Omit<Tally, "at_ms"> & { grain: number; bucket_at: string };
type Stored = { nth: number; counts: number[]; sketch: Buffer | null };

const PAGE = 1_000;

/**
 * Adds minutes to all the buckets that they are part of. Rows are read, added to and written back: whoever calls holds
 * the place of the follower of this series, and nobody else writes it.
 */
export async function addRollups(tx: Ctx & InTransaction, tallies: Tallies): Promise<void> {
  const rollups = inAllGrains(tallies.values());
  for (let at = 0; at < rollups.length; at += PAGE) await addPage(tx, rollups.slice(at, at + PAGE));
}

/** The same for buckets of one length alone. */
export async function addPage(tx: Ctx & InTransaction, rollups: readonly Rollup[]): Promise<void> {
  if (rollups.length === 0) return;
  const stored = new Map((await readStored(tx, rollups)).map((row) => [row.nth, row]));
  await write(
    tx,
    rollups.map((rollup, nth) => sumOf(rollup, stored.get(nth))),
  );
}

function sumOf({ counts, sketch, ...key }: Rollup, stored: Stored | undefined): object {
  const bytes = stored?.sketch ? mergeEncoded(stored.sketch, sketch) : encodeSketch(sketch);
  return {
    ...key,
    counts: counts.map((count, nth) => count + (stored?.counts[nth] ?? 0)),
    sketch: bytes.length === 0 ? null : bytes.toString("base64"),
  };
}

function inAllGrains(tallies: Iterable<Tally>): Rollup[] {
  const rollups = new Map<string, Rollup>();
  for (const { at_ms, ...place } of tallies) {
    for (const grain of Object.values(GRAINS)) {
      if (grain === GRAINS.ever && !KEPT_FOR_EVER.has(`${place.series} ${place.split}`)) continue;
      const bucket_ms = grain === GRAINS.ever ? 0 : Math.floor(at_ms / 1_000 / grain) * grain * 1_000;
      const { project_id, series, split, subject_id, environment_id, part } = place;
      const key = `${project_id} ${series} ${split} ${grain} ${bucket_ms} ${subject_id} ${environment_id} ${part}`;
      const found = rollups.get(key);
      if (found) addTo(found, place);
      else rollups.set(key, { ...copyOf(place, grain), grain, bucket_at: new Date(bucket_ms).toISOString() });
    }
  }
  return [...rollups.values()];
}

function copyOf<T extends { counts: number[]; sketch: Sketch }>(place: T, grain: number): T {
  return { ...place, counts: [...place.counts], sketch: new Map(grain === GRAINS.ever ? [] : place.sketch) };
}

function addTo(rollup: Rollup, { counts, sketch }: { counts: number[]; sketch: Sketch }): void {
  counts.forEach((count, at) => {
    rollup.counts[at] = (rollup.counts[at] ?? 0) + count;
  });
  if (rollup.grain !== GRAINS.ever) addSketch(rollup.sketch, sketch);
}

function keysOf(rollups: readonly Rollup[]): object[] {
  return rollups.map(({ counts: _counts, sketch: _sketch, ...key }, nth) => ({ nth, ...key }));
}

async function readStored(tx: Ctx & InTransaction, rollups: readonly Rollup[]): Promise<Stored[]> {
  const { rows } = await sql<Stored>`
    /* kept */
    select k.nth, r.counts, r.sketch
    from json_to_recordset(${JSON.stringify(keysOf(rollups))}::json) as k(
      nth int, project_id uuid, series text, split text, grain int, bucket_at timestamptz(3), subject_id uuid,
      environment_id uuid, part text)
    cross join lateral (
      select array_to_json(r.counts) as counts, r.sketch from rollups r
      where r.project_id = k.project_id and r.series = k.series and r.split = k.split and r.grain = k.grain
        and r.bucket_at = k.bucket_at and r.subject_id = k.subject_id and r.environment_id = k.environment_id
        and r.part = k.part offset 0
    ) r
    where ${fewRows("k.series")}`.execute(tx.db);
  return rows;
}

async function write(tx: Ctx & InTransaction, rows: readonly object[]): Promise<void> {
  await sql`
    /* kept */
    insert into rollups (
      project_id, series, split, grain, bucket_at, subject_id, environment_id, part, counts, sketch)
    select g.project_id, g.series, g.split, g.grain, g.bucket_at, g.subject_id, g.environment_id, g.part, g.counts,
      decode(g.sketch, 'base64')
    from json_to_recordset(${JSON.stringify(rows)}::json) as g(
      project_id uuid, series text, split text, grain int, bucket_at timestamptz(3), subject_id uuid,
      environment_id uuid, part text, counts bigint[], sketch text)
    on conflict (project_id, series, split, grain, bucket_at, subject_id, environment_id, part)
    do update set counts = excluded.counts, sketch = excluded.sketch`.execute(tx.db);
}
