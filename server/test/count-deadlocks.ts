import { runSql, type TestConnection } from "./database.ts";

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
  await runSql(
    connection,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = current_database() and application_name = 'millrace'`,
  );
  return countDeadlocks(connection);
}
