import { sql } from "kysely";
import { fewRows } from "../../flow/workflows/few-rows.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { NIL_ID } from "./series.ts";
import { addValue, type Sketch } from "./sketch.ts";
import { type Tallies, tally } from "./tallies.ts";

/** Moves of runs that are counted: the others need not be read. */
export const COUNTED_MOVES = sql`(l.from_status is null or l.to_status in ('completed', 'failed', 'timed_out', 'canceled')
  or (l.from_status = 'running' and l.to_status = 'pending'
    and l.cause in ('retry', 'timeout', 'heartbeat_lost', 'lease_lost')))`;

export type Move = {
  project_id: string;
  run_id: string;
  from_status: string | null;
  to_status: string;
  attempt: number;
  detail: { http_status?: number | null; error?: { code?: string; message?: string } | null } | null;
  created_at: string;
};

/** What a run never changes. */
type MovedRun = {
  run_id: string;
  job_id: string;
  job_version_id: string;
  environment_id: string;
  trigger_type: string;
  step_ref: string | null;
  created_at: string;
  scheduled_at: string;
  started_at: string | null;
};

export type RunMove = Move & { run: MovedRun };

/** The moves with their runs. One whose run is gone is left out: nobody could say whose it was. */
export async function withRuns(ctx: Ctx | (Ctx & InTransaction), moves: readonly Move[]): Promise<RunMove[]> {
  const keys = [...new Map(moves.map(({ project_id, run_id }) => [run_id, { project_id, run_id, one: "" }])).values()];
  const { rows } = await sql<MovedRun>`
    /* kept */
    select r.* from json_to_recordset(${JSON.stringify(keys)}::json) as k(project_id uuid, run_id uuid, one text)
    cross join lateral (
      select r.id as run_id, r.job_id, r.job_version_id, r.environment_id, r.trigger_type, r.step_ref, r.created_at,
        r.scheduled_at, r.started_at
      from runs r where r.project_id = k.project_id and r.id = k.run_id offset 0
    ) r
    where ${fewRows("k.one")}`.execute(ctx.db);
  const runs = new Map(rows.map((run) => [run.run_id, run]));
  return moves.flatMap((move) => {
    const run = runs.get(move.run_id);
    return run ? [{ ...move, run }] : [];
  });
}

/** What moves of one minute have in common, and how many of them there are: most of a busy minute are alike. */
type Alike = {
  project_id: string;
  at_ms: number;
  run: MovedRun;
  name: MoveName;
  count: number;
  duration_ms: number;
  took: Sketch;
  waited: Sketch;
};

/** Beginnings, ends and further tries, where and when they happened. How long a run took is told by its end. */
export function tallyMoves(tallies: Tallies, moves: readonly RunMove[]): void {
  for (const { project_id, at_ms, run, name, count, duration_ms, took: sketch, waited } of alike(moves)) {
    const { job_id, job_version_id, environment_id, trigger_type } = run;
    const place = { project_id, series: "runs", at_ms, environment_id } as const;
    const counts = { [name]: count, duration_ms };
    tally(tallies, { ...place, split: "all", subject_id: NIL_ID }, { counts, sketch });
    tally(tallies, { ...place, split: "job", subject_id: job_id }, { counts, sketch });
    tally(tallies, { ...place, split: "job_version", subject_id: job_id, part: job_version_id }, { counts, sketch });
    tally(tallies, { ...place, split: "trigger", subject_id: NIL_ID, part: trigger_type }, { counts });
    tally(tallies, { ...place, split: "job_trigger", subject_id: job_id, part: trigger_type }, { counts });
    if (waited.size === 0) continue;
    tally(tallies, { ...place, split: "wait", subject_id: NIL_ID }, { sketch: waited });
    tally(tallies, { ...place, split: "job_wait", subject_id: job_id }, { sketch: waited });
  }
}

function alike(moves: readonly RunMove[]): Iterable<Alike> {
  const groups = new Map<string, Alike>();
  for (const move of moves) {
    const { project_id, run } = move;
    const at_ms = Math.floor(Date.parse(move.created_at) / MINUTE_MS) * MINUTE_MS;
    const name = nameOf(move);
    const key = `${at_ms} ${run.job_version_id} ${run.environment_id} ${run.trigger_type} ${name}`;
    const made = { project_id, at_ms, run, name, count: 0, duration_ms: 0, took: new Map(), waited: new Map() };
    const group = groups.get(key) ?? made;
    if (group === made) groups.set(key, made);
    addMove(group, move);
  }
  return groups.values();
}

function addMove(group: Alike, move: RunMove): void {
  group.count += 1;
  const { created_at, scheduled_at, started_at } = move.run;
  if (!isEnd(group.name) || started_at === null) return;
  const took_ms = msBetween(started_at, move.created_at) ?? 0;
  group.duration_ms += took_ms;
  addValue(group.took, took_ms);
  // From when it was due until it began; of runs that began once, since a later turn is due at another time.
  if (move.attempt !== 1) return;
  addValue(group.waited, msBetween(scheduled_at > created_at ? scheduled_at : created_at, started_at) ?? 0);
}

const MINUTE_MS = 60_000;
const ENDS = ["completed", "failed", "timed_out", "canceled"] as const;
type End = (typeof ENDS)[number];

function isEnd(name: string): name is End {
  return (ENDS as readonly string[]).includes(name);
}

type MoveName = "created" | "retried" | End;

function nameOf({ from_status, to_status }: Move): MoveName {
  if (from_status === null) return "created";
  return isEnd(to_status) ? to_status : "retried";
}

export function msBetween(from: string | null, to: string): number | undefined {
  return from === null ? undefined : Math.max(0, Date.parse(to) - Date.parse(from));
}
