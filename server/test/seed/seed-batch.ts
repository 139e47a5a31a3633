import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { appendStates } from "./append-changes.ts";

export type SeedBatch = Partial<{ kind: string; status: string; total: number; created_at: string; failed: number }>;

/** Inserts a batch operation directly, with an item for each failure. Returns its id. */
export async function seedBatch(connection: TestConnection, project_id: string, batch: SeedBatch = {}) {
  const { kind = "trigger", status = "running", total = 3, failed = 1 } = batch;
  const id = newId();
  await runSql(
    connection,
    `with changed as (insert into batch_operations (project_id, id, kind, status, prev_status, total, processed, failed, created_by,
       created_at, updated_at, finished_at)
     values ($1, $2, $3, $4::text, case when $4::text not in ('pending', 'running') then 'running' end, $5, $6, $6, 'seed',
       coalesce($7::timestamptz, clock()), clock(),
       case when $4::text not in ('pending', 'running') then coalesce($7::timestamptz, clock()) end)
     returning *)
     ${appendStates("batch_operation")}`,
    [project_id, id, kind, status, total, failed, batch.created_at ?? null],
  );
  await runSql(
    connection,
    `insert into batch_items (project_id, batch_id, item_index, target_id, status, error, created_at)
     select $1, $2::uuid, n, $2::uuid::text, 'failed', 'seeded', clock() from generate_series(0, $3::int - 1) as n`,
    [project_id, id, failed],
  );
  return id;
}
