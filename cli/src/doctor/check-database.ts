import { settingsOf } from "../service/database-settings.ts";
import type { DatabaseReport } from "../service/server-loader.ts";
import { type Check, type Finding, failed, ok, skipped, warning } from "./check.ts";

const MAX_SKEW_MS = 5_000;

/** Checks the configured database without a running service. */
export const checkDatabase: Check = async (cli) => {
  const tool = await cli.server.databaseTool();
  const result = await tool.inspectDatabase(settingsOf(cli, false));
  if (result.ok) return [...connection(result), migrations(result)];
  const isStopped = !result.is_settings && result.reason.includes("is not running");
  const finding = isStopped
    ? skipped("database", result.reason, result.remedy)
    : failed("database", result.reason, result.remedy);
  return [finding, skipped("migrations", "requires a database")];
};

function connection({ name, version, clock_ahead_ms }: DatabaseReport): Finding[] {
  const skew = Math.abs(clock_ahead_ms);
  const found = ok("database", `${name} (${version})`);
  if (skew < MAX_SKEW_MS) return [found];
  const remedy = "Synchronize both clocks with NTP. All timestamps come from the database.";
  return [found, warning("database clock", `${skew} ms ${clock_ahead_ms > 0 ? "ahead" : "behind"}`, remedy)];
}

function migrations({ applied, pending }: DatabaseReport): Finding {
  if (pending.length === 0) return ok("migrations", `all ${applied.length} applied`);
  return warning(
    "migrations",
    `${pending.length} pending: ${pending.slice(0, 3).join(", ")}`,
    "Run `millrace migrate up`, or start the service.",
  );
}
