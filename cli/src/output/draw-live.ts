import type { Cli } from "../cli.ts";
import { cutLine } from "./cut-line.ts";

const REDRAW_MS = 500; // keeps running durations up to date

/** Redraws lines in place, as many and as much of them as fit on the screen. */
export function drawLive(cli: Cli): { show: (draw: () => string[]) => void; end: () => void } {
  let drawn = 0;
  let current: (() => string[]) | undefined;
  const redraw = () => {
    if (!current) return;
    const { columns, rows } = cli.terminal;
    const lines = fit(current(), rows - 1).map((line) => cutLine(line, columns));
    cli.write(`${drawn > 0 ? `\x1b[${drawn}A` : ""}${lines.map((line) => `\x1b[2K${line}\n`).join("")}\x1b[J`);
    drawn = lines.length;
  };
  const timer = setInterval(redraw, REDRAW_MS);
  return {
    show: (draw) => {
      current = draw;
      redraw();
    },
    end: () => clearInterval(timer),
  };
}

function fit(lines: string[], height: number): string[] {
  if (lines.length <= height) return lines;
  return [...lines.slice(0, height - 1), `… ${lines.length - height + 1} more`];
}
