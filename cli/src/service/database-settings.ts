import type { Cli } from "../cli.ts";
import { flag } from "../command.ts";
import { CommandError } from "../command-error.ts";
import type { DatabaseReport, DatabaseResult, DatabaseSettings } from "./server-loader.ts";

/** `dev` and `serve` keep their embedded databases in different places. */
export const MODE_OPTION = {
  dev: flag("--dev", "use the database of `millrace dev` in this folder (the default, unless INTERNAL_SECRET is set)"),
};

/** The `serve` database if its secrets are set, otherwise the `dev` database of this folder. */
export function settingsOf({ env, cwd }: Cli, isDev: boolean): DatabaseSettings {
  return { mode: isDev || !env.INTERNAL_SECRET ? "dev" : "serve", env, cwd };
}

export function requireDatabase(result: DatabaseResult): DatabaseReport {
  if (result.ok) return result;
  throw new CommandError(result.is_settings ? "usage" : "failure", result.reason, result.remedy ? [result.remedy] : []);
}
