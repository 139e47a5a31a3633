import { INSTALL_SQL } from "../../../sdk/src/outbox/install-sql.ts";
import { type ChaosProxy, openDatabaseProxy } from "../harness/chaos-proxy.ts";
import { emptyDatabase, runSql, type TestConnection } from "../world/database.ts";

export type ApplicationDatabase = {
  connection: TestConnection;
  /** Between the service and the database. */
  network: ChaosProxy;
  url: string;
  /** Calls `millrace.enqueue` and returns the row's id. */
  enqueue: (job: string, payload?: unknown, options?: Record<string, unknown>) => Promise<string>;
  /** The rows that are left, with their error codes. */
  rows: () => Promise<{ id: string; job: string; error_code: string | null }[]>;
};

/** The database of an application, prepared by `millrace outbox install`. */
export async function applicationDatabase(): Promise<ApplicationDatabase> {
  const connection = await emptyDatabase();
  const { url, ...network } = await openDatabaseProxy(connection);
  await runSql(connection, INSTALL_SQL);
  return {
    connection,
    network,
    url: `${url}?sslmode=disable`,
    enqueue: async (job, payload = {}, options = {}) => {
      const [row] = await runSql<{ id: string }>(connection, "select millrace.enqueue($1, $2, $3) as id", [
        job,
        JSON.stringify(payload),
        options,
      ]);
      return row?.id ?? "";
    },
    rows: () => runSql(connection, "select id, job, error_code from millrace.enqueued order by seq"),
  };
}
