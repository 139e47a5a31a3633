import type { RunSum } from "../../../flow/budget/run-sums.ts";
import { hasEnded } from "../../../flow/runs/states.ts";
import { COUNTS, GRAINS, HOURS_KEPT_DAYS, MINUTES_KEPT_DAYS, NIL_ID, type Split } from "../reports/series.ts";
import { inChunks } from "./in-chunks.ts";
import { addValue, type Sketch } from "./sketch.ts";
import { addBucket, bucketOf, type Rollup, rollupOf, type Tallies } from "./tallies.ts";

/** Sums counted without yielding to the event loop. */
const CHUNK = 500;

/**
 * Counts beginnings, ends and retries of runs, where and when they happened. The end of a run gives its duration.
 * Beyond the retention of minutes they are counted by the hour, and later by the day.
 */
export async function countRuns(tallies: Tallies, sums: readonly RunSum[], now_ms: number): Promise<void> {
  const rollups = new Map<string, Rollups>();
  await inChunks(sums, CHUNK, (sum) => {
    const name = countOf(sum);
    if (!name) return;
    const key = `${sum.job_version_id} ${sum.trigger_type} ${sum.environment_id} ${sum.job_id} ${sum.project_id}`;
    const found = rollups.get(key) ?? rollupsOf(tallies, sum);
    rollups.set(key, found);
    addSum(found, sum, name, grainOf(sum.at_s, now_ms));
  });
}

const RETRIED = new Set(["retry", "timeout", "heartbeat_lost", "lease_lost"]);

/** What a transition counts as; undefined: it is not counted. */
function countOf({ from_status, to_status, cause }: RunSum): string | undefined {
  if (from_status === null) return "created";
  if (hasEnded(to_status)) return to_status;
  return from_status === "running" && to_status === "pending" && RETRIED.has(cause) ? "retried" : undefined;
}

/** The finest grain that is still kept for a minute. */
function grainOf(at_s: number, now_ms: number): number {
  const age_days = (now_ms / 1_000 - at_s - GRAINS.minute) / GRAINS.day;
  if (age_days < MINUTES_KEPT_DAYS) return GRAINS.minute;
  return age_days < HOURS_KEPT_DAYS ? GRAINS.hour : GRAINS.day;
}

/** The rollups in which such transitions are counted: with duration, without, and with waiting time. */
type Rollups = { timed: Rollup[]; counted: Rollup[]; waited: Rollup[] };

function rollupsOf(tallies: Tallies, sum: RunSum): Rollups {
  const { project_id, environment_id, job_id, job_version_id: version, trigger_type: trigger } = sum;
  const rollup = (split: Split<"runs">, subject_id: string, part = "") =>
    rollupOf(tallies, { project_id, series: "runs", split, subject_id, environment_id, part });
  return {
    timed: [rollup("all", NIL_ID), rollup("job", job_id), rollup("job_version", job_id, version)],
    counted: [rollup("trigger", NIL_ID, trigger), rollup("job_trigger", job_id, trigger)],
    waited: [rollup("wait", NIL_ID), rollup("job_wait", job_id)],
  };
}

function addSum({ timed, counted, waited }: Rollups, sum: RunSum, name: string, grain: number): void {
  const took = sketchOf(sum.took_ms);
  const counts = COUNTS.runs.map((each) => {
    if (each === "duration_ms") return took.total_ms;
    return each === name ? sum.count : 0;
  });
  for (const rollup of timed) addBucket(bucketOf(rollup, grain, sum.at_s), { counts, sketch: took.sketch });
  for (const rollup of counted) addBucket(bucketOf(rollup, grain, sum.at_s), { counts, sketch: undefined });
  if (sum.waited_ms === null) return;
  const { sketch } = sketchOf(sum.waited_ms);
  for (const rollup of waited) addBucket(bucketOf(rollup, grain, sum.at_s), { counts: [], sketch });
}

const DOUBLE_BYTES = 8;

function sketchOf(values: Buffer | null): { sketch: Sketch; total_ms: number } {
  const sketch: Sketch = new Map();
  let total_ms = 0;
  for (let at = 0; at < (values?.length ?? 0); at += DOUBLE_BYTES) {
    const ms = values?.readDoubleBE(at) ?? 0;
    addValue(sketch, ms);
    total_ms += ms;
  }
  return { sketch, total_ms };
}
