import { runSql, type TestConnection } from "./database.ts";
import { until } from "./until.ts";

/**
 * Terminates all sessions of a database together and waits until they are gone: PostgreSQL would wait a tenth of a
 * second for each.
 */
export async function endSessions(from: TestConnection, database: string, application = "%"): Promise<void> {
  const theirs = "from pg_stat_activity where datname = $1 and application_name like $2 and pid <> pg_backend_pid()";
  const left = () => runSql(from, `select pg_terminate_backend(pid) ${theirs}`, [database, application]);
  await until(`the sessions of ${database} to end`, 20_000, async () => (await left()).length === 0);
}
