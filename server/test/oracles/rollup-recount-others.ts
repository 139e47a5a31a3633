import { fingerprintOf, normalize } from "../../src/features/analytics/rollups/fingerprint.ts";
import { addValue, type Sketch } from "../../src/features/analytics/rollups/sketch.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { line } from "./rollup-recount.ts";

const NIL = "00000000-0000-0000-0000-000000000000";
const LENGTHS = [60, 3_600, 86_400];
const ENDS = ["completed", "failed", "timed_out", "canceled"];

type Fact = {
  workflow_id: string;
  version_id: string;
  environment_id: string;
  name: string;
  at: Date;
  took_ms: number | null;
};

/** The expected rollups of workflow runs, counted one by one from the runs and their decisions. */
export async function recountedWorkflows(
  connection: TestConnection,
  project_id: string,
  read: typeof runSql = runSql,
): Promise<string[]> {
  const facts = await read<Fact>(
    connection,
    `select w.workflow_id, w.version_id, w.environment_id, f.name, f.at,
       case when f.is_end and w.started_at <= f.at then (extract(epoch from f.at - w.started_at) * 1000)::float8 end as took_ms
     from workflow_runs w cross join lateral (
       select 'started' as name, w.created_at as at, false as is_end from workflow_decisions d
       where d.project_id = w.project_id and d.workflow_run_id = w.id and d.ordinal = 1
       union all
       select 'retried', min(d.created_at), false from workflow_decisions d
       where d.project_id = w.project_id and d.workflow_run_id = w.id and d.decision_type = 'retry' group by d.created_at
       union all
       select d.detail ->> 'status', d.created_at, true from workflow_decisions d
       where d.project_id = w.project_id and d.workflow_run_id = w.id and d.decision_type = 'end'
     ) f
     where w.project_id = $1`,
    [project_id],
  );
  const names = ["started", ...ENDS, "retried"];
  const rows = new Map<string, { counts: number[]; sketch: Sketch }>();
  for (const fact of facts) {
    const { workflow_id, version_id, environment_id, at, took_ms } = fact;
    const places = [`all`, NIL, ""].concat(
      ["workflow", workflow_id, ""],
      ["workflow_version", workflow_id, version_id],
    );
    for (let nth = 0; nth < places.length; nth += 3) {
      const [split = "", subject_id = "", part = ""] = places.slice(nth, nth + 3);
      for (const length of LENGTHS) {
        const row = rowOf(rows, keyOf({ split, length, at, subject_id, environment_id, part }), 7);
        add(row.counts, names.indexOf(fact.name), 1);
        add(row.counts, 6, took_ms ?? 0);
        if (took_ms !== null) addValue(row.sketch, took_ms);
      }
    }
  }
  return linesOf(rows);
}

type Failed = {
  job_id: string;
  job_version_id: string;
  environment_id: string;
  step_ref: string | null;
  to_status: string;
  detail: { http_status?: number; error?: { code?: string; message?: string } } | null;
  created_at: Date;
};

/** The expected rollups of failures, where no job has more than 500 kinds. */
export async function recountedErrors(
  connection: TestConnection,
  project_id: string,
  read: typeof runSql = runSql,
): Promise<string[]> {
  const failures = await read<Failed>(
    connection,
    `select r.job_id, r.job_version_id, r.environment_id, r.step_ref, t.to_status, t.detail, t.created_at
     from run_history t join runs r on r.project_id = t.project_id and r.id = t.run_id
     where t.project_id = $1 and (t.to_status in ('failed', 'timed_out') and t.from_status is not null
       or t.from_status = 'running' and t.to_status = 'pending' and t.cause in ('retry', 'timeout', 'heartbeat_lost', 'lease_lost'))`,
    [project_id],
  );
  const rows = new Map<string, { counts: number[]; sketch: Sketch }>();
  for (const { job_id, job_version_id, environment_id, step_ref, to_status, detail, created_at: at } of failures) {
    const code = detail?.error?.code ?? null;
    const message = normalize(detail?.error?.message ?? (to_status === "timed_out" ? "timed out" : "failed"));
    const kind = fingerprintOf({ job_id, step_ref, http_status: detail?.http_status ?? null, code, message });
    for (const length of LENGTHS) {
      const part = `${kind} ${job_version_id}`;
      const row = rowOf(rows, keyOf({ split: "group", length, at, subject_id: job_id, environment_id, part }), 2);
      add(row.counts, 0, to_status === "pending" ? 0 : 1);
      add(row.counts, 1, 1);
    }
  }
  return linesOf(rows);
}

type Key = {
  split: string;
  length: number;
  at: Date;
  subject_id: string;
  environment_id: string;
  part: string;
};

function keyOf({ split, length, at, subject_id, environment_id, part }: Key): string {
  const begins = new Date(Math.floor(at.getTime() / (length * 1_000)) * length * 1_000).toISOString().slice(0, 16);
  return `${split} ${length} ${begins} ${subject_id} ${environment_id} ${part}`;
}

function rowOf(rows: Map<string, { counts: number[]; sketch: Sketch }>, key: string, counts: number) {
  const row = rows.get(key) ?? { counts: Array<number>(counts).fill(0), sketch: new Map() };
  rows.set(key, row);
  return row;
}

function add(counts: number[], nth: number, by: number): void {
  counts[nth] = (counts[nth] ?? 0) + by;
}

function linesOf(rows: Map<string, { counts: number[]; sketch: Sketch }>): string[] {
  return [...rows].map(([key, { counts, sketch }]) => line(key, counts.map(String), sketch)).sort();
}
