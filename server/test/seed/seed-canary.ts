import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";

type Of = { id: string; version_id: string };

/** Inserts a second version with the same steps, and an active canary on it, directly. */
export async function seedCanary(
  connection: TestConnection,
  project_id: string,
  { id: workflow_id, version_id }: Of,
): Promise<{ id: string; target_version_id: string }> {
  const [id, target_version_id] = [newId(), newId()];
  await runSql(
    connection,
    `with target as (
       insert into workflow_versions (project_id, id, workflow_id, version, steps, created_by, created_at)
       select project_id, $4, workflow_id, version + 1, steps, 'seed', clock() from workflow_versions
       where project_id = $1 and id = $3
     )
     insert into canaries (project_id, id, workflow_id, source_version, source_version_id, target_version,
       target_version_id, traffic_pct, traffic_since, created_by, created_at, updated_at)
     values ($1, $5, $2, 1, $3, 2, $4, 10, clock(), 'seed', clock(), clock())`,
    [project_id, workflow_id, version_id, target_version_id, id],
  );
  return { id, target_version_id };
}
