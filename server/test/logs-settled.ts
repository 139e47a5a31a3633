import { runSql, type TestConnection } from "./database.ts";
import { until } from "./until.ts";

/**
 * Waits until consumers of a log can read everything written so far. Transactions of other test files delay it too,
 * because they share the server's transaction ids.
 */
export async function logsSettled(connection: TestConnection): Promise<void> {
  const [now] = await runSql<{ xid: string }>(connection, "select pg_current_xact_id()::text as xid");
  await until("earlier transactions to end", 20_000, async () => {
    const [snapshot] = await runSql<{ settled: boolean }>(
      connection,
      "select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as settled",
      [now?.xid],
    );
    return snapshot?.settled === true;
  });
}
