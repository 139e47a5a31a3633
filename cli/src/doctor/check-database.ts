import { settingsOf } from "../service/database-settings.ts";
import type { DatabaseReport } from "../service/server-door.ts";
import { type Check, type Finding, failed, ok, skipped, warning } from "./check.ts";

const MOST_SKEW_MS = 5_000;

/** The database of the settings, looked at without a service. */
export const checkDatabase: Check = async (cli) => {
  const tool = await cli.server.databaseTool();
  const answer = await tool.lookAtDatabase(settingsOf(cli, false));
  if (answer.ok) return [...seen(answer), migrations(answer)];
  const isAsleep = !answer.is_settings && answer.reason.includes("does not run");
  const finding = isAsleep
    ? skipped("database", answer.reason, answer.remedy)
    : failed("database", answer.reason, answer.remedy);
  return [finding, skipped("migrations", "needs a database")];
};

function seen({ name, version, clock_ahead_ms }: DatabaseReport): Finding[] {
  const skew = Math.abs(clock_ahead_ms);
  const found = ok("database", `${name} (${version})`);
  if (skew < MOST_SKEW_MS) return [found];
  const remedy = "Let both set their clocks by NTP: every time is taken from the database.";
  return [found, warning("database clock", `${skew} ms ${clock_ahead_ms > 0 ? "ahead" : "behind"}`, remedy)];
}

function migrations({ applied, missing }: DatabaseReport): Finding {
  if (missing.length === 0) return ok("migrations", `all ${applied.length} done`);
  return warning(
    "migrations",
    `${missing.length} missing: ${missing.slice(0, 3).join(", ")}`,
    "Run `millrace migrate up`, or start the service.",
  );
}
