import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";

/** Asks before something that cannot be undone. Where nobody can answer, `--yes` must say so beforehand. */
export async function confirm(cli: Cli, question: string, isAnswered: boolean): Promise<void> {
  if (isAnswered) return;
  if (!cli.terminal.input) {
    throw new CommandError("usage", `${question} Nobody can be asked here.`, [
      "Say --yes, or look first with --dry-run.",
    ]);
  }
  const { confirm: ask, isCancel } = await import("@clack/prompts");
  const answer = await ask({ message: question, initialValue: false, output: process.stderr });
  if (isCancel(answer)) throw new CommandError("interrupted", "Nothing was changed.");
  if (!answer) throw new CommandError("failure", "Nothing was changed.");
}

/** Something that must not be seen on the screen. */
export async function askSecret(cli: Cli, message: string): Promise<string> {
  if (!cli.terminal.input) return (await cli.readStdin()).trim();
  const { password, isCancel } = await import("@clack/prompts");
  const answer = await password({ message, output: process.stderr });
  if (isCancel(answer)) throw new CommandError("interrupted", "Nothing was kept.");
  return answer;
}
