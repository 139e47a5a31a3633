import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";

/** Inserts a disabled outbox source directly, whose connection string nobody can decrypt. Returns its id. */
export async function seedOutboxSource(connection: TestConnection, project_id: string): Promise<string> {
  const id = newId();
  await runSql(
    connection,
    `insert into outbox_sources (project_id, id, name, host, port, database, username, sslmode, database_url, enabled,
       next_attempt_at, created_by, created_at, updated_at)
     values ($1, $2, 'Shop', 'db.example.com', 5432, 'shop', 'app', 'verify-full', '', false, clock(), 'seed', clock(),
       clock())`,
    [project_id, id],
  );
  return id;
}
