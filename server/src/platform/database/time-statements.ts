import type { DatabaseConnection, Driver } from "kysely";

/**
 * Calls `observe` with the seconds each statement took, failed or not. In a pipeline that includes the statements
 * before it. The caller is not delayed, as it would be by kysely's own log, which awaits it.
 */
export function timeStatements(driver: Driver, observe: (seconds: number) => void): Driver {
  const timed = new WeakSet<DatabaseConnection>();
  const acquire = driver.acquireConnection.bind(driver);
  driver.acquireConnection = async () => {
    const connection = await acquire();
    if (timed.has(connection)) return connection;
    timed.add(connection);
    const execute = connection.executeQuery.bind(connection);
    connection.executeQuery = (query) => {
      const startedAt = performance.now();
      const done = () => observe((performance.now() - startedAt) / 1_000);
      const result = execute<never>(query);
      result.then(done, done);
      return result;
    };
    return connection;
  };
  return driver;
}
