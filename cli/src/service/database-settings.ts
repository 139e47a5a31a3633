import type { Cli } from "../cli.ts";
import { flag } from "../command.ts";
import { CommandError } from "../command-error.ts";
import type { DatabaseAnswer, DatabaseReport, DatabaseSettings } from "./server-door.ts";

/** Development and production keep their embedded databases in different places. */
export const MODE_OPTION = {
  dev: flag(
    "--dev",
    "use the database of `millrace dev` in this folder; default: that of `serve` if INTERNAL_SECRET is set",
  ),
};

/** Production where its secrets are set, as `millrace serve` needs them; else the database of this folder. */
export function settingsOf({ env, cwd }: Cli, isDev: boolean): DatabaseSettings {
  return { mode: isDev || !env.INTERNAL_SECRET ? "dev" : "serve", env, cwd };
}

export function refuseTrouble(answer: DatabaseAnswer): DatabaseReport {
  if (answer.ok) return answer;
  throw new CommandError(answer.is_settings ? "usage" : "failure", answer.reason, answer.remedy ? [answer.remedy] : []);
}
