import { runSql, type TestConnection } from "./database.ts";
import { endSessions } from "./end-sessions.ts";

/** What the database has counted, in the files before too. */
export async function countDeadlocks(connection: TestConnection): Promise<number> {
  const [row] = await runSql<{ deadlocks: number }>(
    connection,
    "select deadlocks::int from pg_stat_database where datname = current_database()",
  );
  return row?.deadlocks ?? 0;
}

/** Ends the sessions of the services, which report their deadlocks then at the latest. For the last test of a file. */
export async function countDeadlocksAtEnd(connection: TestConnection): Promise<number> {
  await endSessions(connection, connection.database, "millrace");
  return countDeadlocks(connection);
}
