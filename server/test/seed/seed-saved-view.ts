import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";

/** Inserts a saved view directly. Returns its id. */
export async function seedSavedView(connection: TestConnection, project_id: string): Promise<string> {
  const id = newId();
  await runSql(
    connection,
    `insert into saved_views (project_id, id, name, resource, query, created_by, created_at, updated_at)
     values ($1, $2, 'View', 'runs', '{"status": "failed"}', 'seed', clock(), clock())`,
    [project_id, id],
  );
  return id;
}
