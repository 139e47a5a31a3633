import { readRunCosts } from "../../../flow/budget/read-run-costs.ts";
import { ofEnvironment } from "../../../platform/access/environments.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { firstIdAt } from "../../../platform/ids.ts";
import type { Range } from "../reports/range.ts";
import type { JobFigures } from "./insight-job-figures.ts";
import { type Draft, draftOf } from "./insight-samples.ts";

const MAX_JOBS = 5;
const MAX_RUNS = 200;
/** Larger payloads are not compared. */
const MAX_PAYLOAD_BYTES = 4_096;
/** Two runs with the same payload further apart than this may both be intended. */
const MAX_GAP_MS = 3_600_000;
const MIN_DUPLICATES = 5;
const MIN_SHARE = 0.1;

type Compared = { job_id: string; id: string; fingerprint: string; created_at: string };
type Repeated = { job_id: string; compared: number; duplicate_ids: string[]; widest_gap_ms: number };
type Requested = { range: Range; environment_id?: string | undefined };

/**
 * Jobs that repeat work: a run with the same payload as one that completed shortly before. It samples the newest runs
 * of the most expensive jobs without a dedup window, only those started from outside with a meaningful payload. The
 * saving is the cost of exactly those runs that the suggested window would have deduplicated.
 */
export async function findDuplicatePayloads(
  ctx: ProjectCtx,
  jobs: readonly JobFigures[],
  requested: Requested,
): Promise<Draft[]> {
  const candidates = jobs.filter((job) => job.dedup_window_secs === null).slice(0, MAX_JOBS);
  if (candidates.length === 0) return [];
  const compared = groupBy(await listCompared(ctx, candidates, requested), (run) => run.job_id);
  const repeating = [...compared].map(([job_id, runs]) => repeatedOf(job_id, runs)).filter(isOften);
  const costs = await readRunCosts(
    ctx,
    ctx.project_id,
    repeating.flatMap((row) => row.duplicate_ids),
  );
  const costOf = new Map<string, number>();
  for (const { run_id, compute_microusd, reported_microusd } of costs)
    costOf.set(run_id, (costOf.get(run_id) ?? 0) + compute_microusd + reported_microusd);
  return repeating
    .flatMap((row) => draft(candidates, row, (run_id) => costOf.get(run_id) ?? 0))
    .filter((each) => each.estimated_saving_microusd > 0);
}

/** Oldest first. */
async function listCompared(ctx: ProjectCtx, jobs: readonly JobFigures[], requested: Requested): Promise<Compared[]> {
  const { range, environment_id } = requested;
  const { rows } = await sql<Compared>`
    select g.job_id, r.id, r.environment_id || md5(r.payload::text) as fingerprint, r.created_at
    from unnest(${jobs.map((job) => job.job_id)}::uuid[]) as g(job_id)
    cross join lateral (
      select r.* from runs r
      where r.project_id = ${ctx.project_id} and r.job_id = g.job_id and r.id >= ${firstIdAt(range.from_ms)}
        and r.id < ${firstIdAt(range.to_ms)}
      order by r.id desc limit ${MAX_RUNS}
    ) r
    where r.status = 'completed' and r.trigger_type in ('api', 'event', 'webhook')
      and pg_column_size(r.payload) <= ${MAX_PAYLOAD_BYTES} and r.payload not in ('{}', 'null', '[]')
      and ${visible(ctx, "runs", "r")} ${ofEnvironment(ctx, "r", environment_id)}
    order by r.id`.execute(ctx.db);
  return rows;
}

/**
 * The runs for which the trigger would have returned an existing run. The window starts at that run, not at its latest
 * duplicate, which would not exist.
 */
function repeatedOf(job_id: string, runs: readonly Compared[]): Repeated {
  const stays = new Map<string, number>();
  const duplicate_ids: string[] = [];
  let widest_gap_ms = 0;
  for (const { id, fingerprint, created_at } of runs) {
    const at_ms = Date.parse(created_at);
    const gap_ms = at_ms - (stays.get(fingerprint) ?? Number.NEGATIVE_INFINITY);
    if (gap_ms > MAX_GAP_MS) {
      stays.set(fingerprint, at_ms);
      continue;
    }
    duplicate_ids.unshift(id);
    widest_gap_ms = Math.max(widest_gap_ms, gap_ms);
  }
  return { job_id, compared: runs.length, duplicate_ids, widest_gap_ms };
}

function isOften({ compared, duplicate_ids }: Repeated): boolean {
  return duplicate_ids.length >= MIN_DUPLICATES && duplicate_ids.length / compared >= MIN_SHARE;
}

function draft(jobs: readonly JobFigures[], row: Repeated, costOf: (run_id: string) => number): Draft[] {
  const job = jobs.find((each) => each.job_id === row.job_id);
  if (!job) return [];
  const { compared, duplicate_ids, widest_gap_ms } = row;
  const window_secs = Math.floor(widest_gap_ms / 1_000) + 1; // a run exactly as old as the window is outside it
  return [
    draftOf(job, {
      rule: "duplicate_payloads",
      title: `${duplicate_ids.length} of the last ${compared} runs of ${job.slug} had the same payload as an earlier run`,
      what_to_change: `Set dedup_window_secs to ${window_secs} or more, or send an Idempotency-Key with each trigger.`,
      estimated_saving_microusd: duplicate_ids.reduce((sum, run_id) => sum + costOf(run_id), 0),
      evidence: {
        compared_runs: compared,
        duplicate_runs: duplicate_ids.length,
        widest_gap_secs: Math.ceil(widest_gap_ms / 1_000),
        suggested_dedup_window_secs: window_secs,
        most_compared_runs: MAX_RUNS,
      },
      sample: duplicate_ids,
    }),
  ];
}
