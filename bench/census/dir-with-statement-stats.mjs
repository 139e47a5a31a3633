import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { newDataDir, startMillrace } from "../start-millrace.mjs";

/** pg_stat_statements must be loaded when the server starts, so the cluster is created first. */
export async function dirWithStatementStats() {
  const dataDir = newDataDir();
  const millrace = await startMillrace({ dataDir });
  await millrace.stop();
  const settings = ["shared_preload_libraries = 'pg_stat_statements'", "pg_stat_statements.track_planning = on"];
  appendFileSync(join(dataDir, "postgres", "postgresql.conf"), `\n${settings.join("\n")}\n`);
  return dataDir;
}
