import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";

/** Inserts a disabled drain directly. Returns its id. */
export async function seedDrain(connection: TestConnection, project_id: string): Promise<string> {
  const id = newId();
  await runSql(
    connection,
    `insert into log_drains (project_id, id, name, url, format, auth_type, min_level, enabled, position, after_id,
       next_attempt_at, created_by, created_at, updated_at)
     values ($1, $2, 'Drain', 'https://example.com/', 'json', 'none', 'debug', false, 0, $2, clock(), 'seed',
       clock(), clock())`,
    [project_id, id],
  );
  return id;
}
