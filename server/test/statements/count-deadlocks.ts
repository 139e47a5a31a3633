import { runSql, type TestConnection } from "../world/database.ts";
import { endSessions } from "../world/end-sessions.ts";

/** The deadlocks that the database has counted, including those of earlier test files. */
export async function countDeadlocks(connection: TestConnection): Promise<number> {
  const [row] = await runSql<{ deadlocks: number }>(
    connection,
    "select deadlocks::int from pg_stat_database where datname = current_database()",
  );
  return row?.deadlocks ?? 0;
}

/** Ends the sessions of the services, which flushes their deadlock counts. For the last test of a file. */
export async function countDeadlocksAtEnd(connection: TestConnection): Promise<number> {
  await endSessions(connection, connection.database, "millrace");
  return countDeadlocks(connection);
}
