import { type Connection, withClient } from "./connection.ts";

/** Creates the connection's database if it is missing, which also proves that the server responds. */
export async function createDatabase(connection: Connection): Promise<void> {
  await withClient({ ...connection, database: "postgres" }, async (client) => {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [connection.database]);
    if (rowCount === 0) await client.query(`create database ${connection.database}`);
  });
}
