import { existsSync, realpathSync } from "node:fs";
import { clusterDirOf } from "./cluster/data-dir.ts";
import { type Connection, connectionTo, urlOf, withClient } from "./connection.ts";
import { codeOf, EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { endpointOf } from "./endpoint.ts";
import { findPostmaster, type Postmaster } from "./postmaster.ts";

export interface AdoptedPostgres {
  connection: Connection;
  url: string;
  pid: number;
}

/**
 * For commands next to a running service: returns its database, or undefined when none runs. The service still owns it.
 */
export async function adoptEmbeddedPostgres(options: { dataDir: string }): Promise<AdoptedPostgres | undefined> {
  if (!existsSync(options.dataDir)) return undefined;
  const dataDir = realpathSync(options.dataDir);
  const running = findRunning(dataDir);
  if (running?.status !== "ready") return undefined;

  const connection = connectionTo(endpointOf(dataDir, running));
  await withClient(connection, (client) => client.query("select 1"));
  return { connection, url: urlOf(connection), pid: running.pid };
}

function findRunning(dataDir: string): Postmaster | undefined {
  try {
    return findPostmaster(clusterDirOf(dataDir));
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error;
    throw new EmbeddedPostgresError(
      `The database of ${dataDir} belongs to another user. Run this command as the user who runs the service, or set DATABASE_URL`,
    );
  }
}
