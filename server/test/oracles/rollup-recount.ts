import type { Series } from "../../src/features/analytics/reports/series.ts";
import { addEncoded, addValue, type Sketch } from "../../src/features/analytics/rollups/sketch.ts";
import { runSql, type TestConnection } from "../world/database.ts";

/** All rollups of a project's runs, or of another series, one line each, for comparison. */
export async function storedRollups(
  connection: TestConnection,
  project_id: string,
  series: Series = "runs",
  read: typeof runSql = runSql,
): Promise<string[]> {
  const rows = await read<{ key: string; counts: string[]; sketch: Buffer | null }>(
    connection,
    `select concat_ws(' ', split, grain, to_char(bucket_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI'), subject_id,
       environment_id, part) as key, counts, sketch
     from rollups where project_id = $1 and series = $2`,
    [project_id, series],
  );
  return rows
    .map(({ key, counts, sketch }) => line(key, counts, addEncoded(new Map(), sketch ?? Buffer.alloc(0))))
    .sort();
}

/** The same, counted from the runs and their log with plain statements, without any code of the service. */
export async function recountedRollups(
  connection: TestConnection,
  project_id: string,
  read: typeof runSql = runSql,
): Promise<string[]> {
  const rows = await read<{ key: string; counts: string[]; values: number[] | null }>(
    connection,
    `with transitions as (
       select r.job_id, r.job_version_id, r.environment_id, r.trigger_type, t.created_at, t.from_status, t.to_status, t.attempt,
         t.to_status in ('completed', 'failed', 'timed_out', 'canceled') as is_end,
         extract(epoch from t.created_at - r.started_at) * 1000 as took_ms,
         extract(epoch from r.started_at - greatest(r.created_at, r.scheduled_at)) * 1000 as waited_ms
       from run_history t join runs r on r.project_id = t.project_id and r.id = t.run_id
       where t.project_id = $1 and (t.from_status is null or t.to_status in ('completed', 'failed', 'timed_out', 'canceled')
         or (t.from_status = 'running' and t.to_status = 'pending' and t.cause in ('retry', 'timeout', 'heartbeat_lost', 'lease_lost')))
     ),
     rows as (
       select s.split, g.grain, case g.grain when 60 then date_trunc('minute', m.created_at)
           when 3600 then date_trunc('hour', m.created_at, 'UTC') when 86400 then date_trunc('day', m.created_at, 'UTC')
           else 'epoch' end as bucket_at,
         s.subject_id, s.part, m.*
       from transitions m
       cross join lateral (values
         ('all', '00000000-0000-0000-0000-000000000000', ''), ('job', m.job_id::text, ''),
         ('trigger', '00000000-0000-0000-0000-000000000000', m.trigger_type), ('job_trigger', m.job_id::text, m.trigger_type),
         ('job_version', m.job_id::text, m.job_version_id::text),
         ('wait', '00000000-0000-0000-0000-000000000000', ''), ('job_wait', m.job_id::text, '')
       ) s(split, subject_id, part)
       cross join (values (60), (3600), (86400), (0)) g(grain)
       where (g.grain > 0 or s.split in ('all', 'job'))
         and (s.split not in ('wait', 'job_wait') or (m.is_end and m.attempt = 1 and m.waited_ms is not null))
     )
     select concat_ws(' ', split, grain, to_char(bucket_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI'), subject_id,
         environment_id, part) as key,
       case when split in ('wait', 'job_wait') then array[0, 0, 0, 0, 0, 0, 0]::bigint[] else array[
         count(*) filter (where from_status is null), count(*) filter (where to_status = 'completed'),
         count(*) filter (where to_status = 'failed'), count(*) filter (where to_status = 'timed_out'),
         count(*) filter (where to_status = 'canceled'),
         count(*) filter (where from_status = 'running' and to_status = 'pending'),
         coalesce(sum(took_ms) filter (where is_end), 0)::bigint] end as counts,
       case when split in ('wait', 'job_wait') then array_agg(waited_ms::float8)
         when grain > 0 and split in ('all', 'job', 'job_version') then array_agg(took_ms::float8) filter (where is_end and took_ms is not null) end as values
     from rows group by split, grain, bucket_at, subject_id, environment_id, part`,
    [project_id],
  );
  return rows
    .map(({ key, counts, values }) => {
      const sketch: Sketch = new Map();
      for (const ms of values ?? []) addValue(sketch, ms);
      return line(key, counts, sketch);
    })
    .sort();
}

export function line(key: string, counts: string[], sketch: Sketch): string {
  const bins = [...sketch].sort(([a], [b]) => a - b).map(([bin, count]) => `${bin}:${count}`);
  return `${key} [${counts.join(" ")}] ${bins.join(" ")}`;
}
