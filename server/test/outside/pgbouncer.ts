import { chooseServerUser } from "../../src/platform/embedded-postgres/server-user.ts";
import type { TestConnection } from "../world/database.ts";
import { freePort } from "./free-port.ts";
import { needProgram } from "./installed-postgres.ts";
import { startProgram } from "./program.ts";

/** PgBouncer in front of a server, as Debian configures it: transaction mode, no ignored parameters. Its address. */
export async function startPgBouncer(connection: TestConnection, poolSize = 20): Promise<string> {
  const { host, port, user, database } = connection;
  const own = await freePort();
  const config = `
[databases]
${database} = host=${host} port=${port} user=${user} dbname=${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
`;
  // As root it refuses to start.
  const as = chooseServerUser();
  await startProgram(needProgram("pgbouncer"), as ? ["--quiet", "-u", "postgres"] : ["--quiet"], config, own);
  return `postgres://${user}@127.0.0.1:${own}/${database}`;
}
