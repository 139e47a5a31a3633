import type { RunSum } from "../../../flow/budget/run-sums.ts";
import { hasEnded } from "../../../flow/runs/states.ts";
import type { Ctx } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { JobLabels } from "../../../platform/metrics/run-durations.ts";

const DOUBLE_BYTES = 8;

/**
 * Observes the durations of ended runs, once their sums are committed. The changelog has the runs of all instances, and
 * each of them once; the path of a run pays nothing for it.
 */
export async function meterRuns(ctx: Ctx, sums: readonly RunSum[]): Promise<void> {
  const ended = sums.filter(({ to_status, took_ms }) => took_ms !== null && hasEnded(to_status));
  const { runDurations } = ctx.metrics;
  const unnamed = ended.filter(({ job_id }) => runDurations.isNew(job_id));
  if (unnamed.length > 0) {
    for (const { job_id, project, job } of await readLabels(ctx, unnamed)) runDurations.name(job_id, { project, job });
  }
  for (const { job_id, to_status, took_ms } of ended) {
    const series = runDurations.seriesOf(job_id, to_status);
    for (let at = 0; at < (took_ms?.length ?? 0); at += DOUBLE_BYTES) {
      series.observe((took_ms?.readDoubleBE(at) ?? 0) / 1_000);
    }
  }
}

async function readLabels({ db }: Ctx, sums: readonly RunSum[]): Promise<(JobLabels & { job_id: string })[]> {
  const keys = new Map(sums.map(({ project_id, job_id }) => [job_id, { project_id, job_id, one: "" }]));
  const { rows } = await sql<JobLabels & { job_id: string }>`
    /* prepared */
    select k.job_id, n.project, n.job
    from json_to_recordset(${JSON.stringify([...keys.values()])}::json) as k(project_id uuid, job_id uuid, one text)
    cross join lateral (
      select p.slug as project, j.slug as job from jobs j join projects p on p.id = j.project_id
      where j.project_id = k.project_id and j.id = k.job_id offset 0
    ) n
    where ${fewRows("k.one")}`.execute(db);
  return rows;
}
