import { printableText } from "@millrace/contract/schema/printable-text";
import type { LogLine } from "../api/follow-run.ts";
import type { Cli } from "../cli.ts";

/** Prints one log line of a run. */
export function printLogLine(cli: Cli, line: LogLine): void {
  if (cli.format !== "human") return void cli.write(`${JSON.stringify(line)}\n`);
  const { colors, terminal } = cli;
  const time = terminal.out ? line.logged_at.slice(11, 23) : line.logged_at;
  const fields =
    line.fields && Object.keys(line.fields).length > 0 ? ` ${printableText(JSON.stringify(line.fields))}` : "";
  cli.write(`${colors.dim(time)} ${paintLevel(cli, line.level)} ${printableText(line.message)}${colors.dim(fields)}\n`);
}

function paintLevel({ colors }: Cli, level: string): string {
  const word = level.padEnd(5);
  if (level === "error" || level === "fatal") return colors.red(word);
  return level === "warn" ? colors.yellow(word) : colors.dim(word);
}
