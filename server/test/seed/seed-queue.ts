import { randomUUID } from "node:crypto";
import { runSql, type TestConnection } from "../world/database.ts";

/** A queue without jobs. Returns its name, as long as an id, so that responses that contain it have the same length. */
export async function seedQueue(connection: TestConnection, project_id: string): Promise<string> {
  const name = randomUUID();
  await runSql(
    connection,
    `insert into queues (project_id, id, name, created_by, created_at, updated_at)
     values ($1, $2, $3, 'test', clock(), clock())`,
    [project_id, randomUUID(), name],
  );
  return name;
}
