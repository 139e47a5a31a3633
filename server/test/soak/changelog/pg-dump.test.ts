import { pino } from "pino";
import { it } from "vitest";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { UNSAFE_SETTINGS } from "../../../src/platform/embedded-postgres/server-settings.ts";
import { findTools, startInstalledServer } from "../../outside/installed-postgres.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { newCluster } from "./new-cluster.ts";
import { dumpAndRestore } from "./postgres-tools.ts";
import { describeRestore } from "./restore-scenario.ts";

useServices();

const tools = await findTools();

/** `pg_dump` must not be older than the server, so an older one dumps a server of its own version. */
if (tools?.hasServer) {
  describeRestore(`a dump at load by pg_dump ${tools.version}, restored by pg_restore into a new cluster`, async () => {
    const { connection: source } = await startInstalledServer(tools, { settings: UNSAFE_SETTINGS });
    await migrate(source, pino({ level: "silent" }));
    const target = await newCluster();
    const versionOf = async (connection: TestConnection) =>
      (await runSql<{ server_version: string }>(connection, "show server_version"))[0]?.server_version;
    console.info(`from PostgreSQL ${await versionOf(source)} to ${await versionOf(target)}`);
    return { source, target, copy: (...args) => dumpAndRestore(tools, ...args) };
  });
} else {
  it("needs PostgreSQL with pg_dump: apt install postgresql, or POSTGRES_BIN=<folder>", ({ skip }) => skip());
}
