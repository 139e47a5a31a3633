import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";

/** Asks for confirmation. Requires `--yes` if there is no interactive terminal. */
export async function confirm(cli: Cli, question: string, isAnswered: boolean): Promise<void> {
  if (isAnswered) return;
  if (!cli.terminal.input) {
    throw new CommandError("usage", `${question} Cannot ask for confirmation here.`, [
      "Pass --yes, or preview with --dry-run.",
    ]);
  }
  const { confirm: ask, isCancel } = await import("@clack/prompts");
  const answer = await ask({ message: question, initialValue: false, output: process.stderr });
  if (isCancel(answer)) throw new CommandError("interrupted", "Nothing was changed.");
  if (!answer) throw new CommandError("failure", "Nothing was changed.");
}

/** Prompts for a value without showing it. */
export async function askSecret(cli: Cli, message: string): Promise<string> {
  if (!cli.terminal.input) return (await cli.readStdin()).trim();
  const { password, isCancel } = await import("@clack/prompts");
  const answer = await password({ message, output: process.stderr });
  if (isCancel(answer)) throw new CommandError("interrupted", "Nothing was saved.");
  return answer;
}
