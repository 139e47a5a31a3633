import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { appendRunRows } from "./append-changes.ts";

type SeedLogs = { project_id: string; run_id: string; job_id?: string; level?: string; message?: string };

/** Inserts log lines of a run directly, in one transaction. `%` in the message is the line number, from 1. */
export async function seedLogs(connection: TestConnection, count: number, logs: SeedLogs): Promise<void> {
  const { project_id, run_id, job_id = null, level = "info", message = "line %" } = logs;
  const ids = Array.from({ length: count }, newId);
  await runSql(
    connection,
    `with written as (
       insert into run_logs (project_id, run_id, id, job_id, attempt, level, message, fields, logged_at, created_at)
       select $1, $2, l.id, coalesce($4, r.job_id), 1, $5, replace($6, '%', l.n::text), null, clock(), clock()
       from unnest($3::uuid[]) with ordinality as l(id, n)
       join runs r on r.project_id = $1 and r.id = $2
       returning *
     )
     ${appendRunRows("run_log")}`,
    [project_id, run_id, ids, job_id, level, message],
  );
}
