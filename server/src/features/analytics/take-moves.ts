import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inChunks } from "./in-chunks.ts";
import { COUNTS, GRAINS, HOURS_KEPT_DAYS, MINUTES_KEPT_DAYS, NIL_ID, type Split } from "./series.ts";
import { addBins, binInSql, type Sketch } from "./sketch.ts";
import { addBucket, bucketOf, type Rollup, rollupOf, type Tallies } from "./tallies.ts";

/** The transitions that are counted; others are not read. */
export const COUNTED_MOVES = sql`(l.from_status is null or l.to_status in ('completed', 'failed', 'timed_out', 'canceled')
  or (l.from_status = 'running' and l.to_status = 'pending'
    and l.cause in ('retry', 'timeout', 'heartbeat_lost', 'lease_lost')))`;

/** Equal transitions of one bucket and their number: most of a busy minute are equal. */
type Alike = {
  project_id: string;
  job_id: string;
  job_version_id: string;
  environment_id: string;
  trigger_type: string;
  grain: number;
  at_s: number;
  created: number;
  completed: number;
  failed: number;
  timed_out: number;
  canceled: number;
  retried: number;
  duration_ms: number;
  /** The bins of their durations, and of their waiting times. */
  took: Buffer | null;
  waited: Buffer | null;
};

/**
 * Counts the transitions `l` of a log, or of a part of it: beginnings, ends and retries, where and when they happened. The end of a run gives its
 * duration. A transition whose run was removed is skipped: its job is unknown.
 */
export async function takeMoves(tx: Ctx & InTransaction, tallies: Tallies, log: RawBuilder<unknown>): Promise<void> {
  const rollups = new Map<string, Rollups>();
  await inChunks(await readAlike(tx, log), CHUNK, (alike) => {
    const key = `${alike.job_version_id} ${alike.trigger_type} ${alike.environment_id} ${alike.job_id} ${alike.project_id}`;
    const found = rollups.get(key) ?? rollupsOf(tallies, alike);
    rollups.set(key, found);
    addAlike(found, alike);
  });
}

/** Groups of equal transitions counted without yielding to the event loop. */
const CHUNK = 500;

/** The rollups in which such transitions are counted: with duration, without, and with waiting time. */
type Rollups = { timed: Rollup[]; counted: Rollup[]; waited: Rollup[] };

function rollupsOf(tallies: Tallies, alike: Alike): Rollups {
  const { project_id, environment_id, job_id, job_version_id: version, trigger_type: trigger } = alike;
  const rollup = (split: Split<"runs">, subject_id: string, part = "") =>
    rollupOf(tallies, { project_id, series: "runs", split, subject_id, environment_id, part });
  return {
    timed: [rollup("all", NIL_ID), rollup("job", job_id), rollup("job_version", job_id, version)],
    counted: [rollup("trigger", NIL_ID, trigger), rollup("job_trigger", job_id, trigger)],
    waited: [rollup("wait", NIL_ID), rollup("job_wait", job_id)],
  };
}

function addAlike({ timed, counted, waited }: Rollups, alike: Alike): void {
  const { grain, at_s } = alike;
  const counts = COUNTS.runs.map((name) => alike[name]);
  const took = sketchOfBins(alike.took);
  for (const rollup of timed) addBucket(bucketOf(rollup, grain, at_s), { counts, sketch: took });
  for (const rollup of counted) addBucket(bucketOf(rollup, grain, at_s), { counts, sketch: undefined });
  if (alike.waited === null) return;
  const sketch = sketchOfBins(alike.waited);
  for (const rollup of waited) addBucket(bucketOf(rollup, grain, at_s), { counts: [], sketch });
}

function sketchOfBins(bins: Buffer | null): Sketch {
  const sketch: Sketch = new Map();
  if (bins) addBins(sketch, bins);
  return sketch;
}

/**
 * The database sums them up, so a busy second returns some rows instead of some thousand. Beyond the retention of
 * minutes, hours are the finest.
 */
async function readAlike({ db }: Ctx & InTransaction, log: RawBuilder<unknown>): Promise<Alike[]> {
  const { rows } = await sql<Alike>`
    /* prepared */
    with moved as materialized (
      select l.project_id, r.job_id, r.job_version_id, r.environment_id, r.trigger_type, ${NAME} as name, l.created_at,
        case when ${IS_END} then ${msBetween(sql`r.started_at`, sql`l.created_at`)} end as took_ms,
        case when ${IS_END} and l.attempt = 1
          then ${msBetween(sql`greatest(r.created_at, r.scheduled_at)`, sql`r.started_at`)} end as waited_ms,
        case when l.created_at >= clock() - ${sql.lit(MINUTES_KEPT_DAYS)} * interval '1 day' then ${sql.lit(GRAINS.minute)}
          when l.created_at >= clock() - ${sql.lit(HOURS_KEPT_DAYS)} * interval '1 day' then ${sql.lit(GRAINS.hour)}
          else ${sql.lit(GRAINS.day)} end as grain
      from ${log} cross join lateral (
        select r.job_id, r.job_version_id, r.environment_id, r.trigger_type, r.created_at, r.scheduled_at, r.started_at
        from runs r where r.project_id = l.project_id and r.id = l.run_id offset 0
      ) r
      where ${COUNTED_MOVES}
    )
    select m.project_id, m.job_id, m.job_version_id, m.environment_id, m.trigger_type, m.grain,
      floor(extract(epoch from m.created_at)::float8 / m.grain)::bigint * m.grain as at_s,
      ${sql.join(NAMES.map((name) => sql`count(*) filter (where m.name = ${sql.lit(name)}) as ${sql.ref(name)}`))},
      coalesce(sum(m.took_ms), 0)::bigint as duration_ms,
      string_agg(int2send(${binInSql(sql`m.took_ms`)}), '') filter (where m.took_ms is not null) as took,
      string_agg(int2send(${binInSql(sql`m.waited_ms`)}), '') filter (where m.waited_ms is not null) as waited
    from moved m group by 1, 2, 3, 4, 5, 6, 7`.execute(db);
  return rows;
}

const NAMES = ["created", "completed", "failed", "timed_out", "canceled", "retried"] as const;
const IS_END = sql`l.to_status in ('completed', 'failed', 'timed_out', 'canceled')`;
const NAME = sql`case when l.from_status is null then 'created' when ${IS_END} then l.to_status else 'retried' end`;

function msBetween(from: RawBuilder<unknown>, to: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${from} is not null then greatest(0, round(extract(epoch from ${to} - ${from})::float8 * 1000)) end`;
}
