import type { Cli } from "../cli.ts";
import { cutLine } from "./cut-line.ts";

const WIDTH = 24;

/** A progress bar on stderr. Draws nothing if stderr is not a terminal. */
export function progressBar(cli: Cli, what: string): { at: (done: number, total: number) => void; end: () => void } {
  let drawn = false;
  return {
    at: (done, total) => {
      if (!cli.terminal.messages) return;
      drawn = true;
      const share = total === 0 ? 0 : Math.min(1, done / total);
      const full = Math.round(share * WIDTH);
      const bar = `${cli.messageColors.cyan("█".repeat(full))}${cli.messageColors.dim("░".repeat(WIDTH - full))}`;
      const line = `${what} ${bar} ${done}${total > 0 ? `/${total}  ${Math.round(share * 100)} %` : ""}`;
      cli.terminal.draw(`\r\x1b[K${cutLine(line, cli.terminal.columns)}`);
    },
    end: () => {
      if (drawn) cli.terminal.draw("\r\x1b[K");
    },
  };
}
