import { runSql, type TestConnection } from "../world/database.ts";
import { endSessions } from "../world/end-sessions.ts";

/**
 * The deadlocks in a database that was new when the file began (`dropReadyDatabases`). For the last test of a file: it ends
 * the sessions of the services, which flushes their counts.
 */
export async function countDeadlocks(connection: TestConnection): Promise<number> {
  await endSessions(connection, connection.database, "millrace");
  const [row] = await runSql<{ deadlocks: number }>(
    connection,
    "select deadlocks::int from pg_stat_database where datname = current_database()",
  );
  return row?.deadlocks ?? 0;
}
