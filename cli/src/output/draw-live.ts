import type { Cli } from "../cli.ts";

const REDRAW_MS = 500; // times that run on should be seen to

/** Lines that are drawn over those drawn before, as many as the screen has room for. */
export function drawLive(cli: Cli): { show: (draw: () => string[]) => void; end: () => void } {
  let drawn = 0;
  let current: (() => string[]) | undefined;
  const redraw = () => {
    if (!current) return;
    const lines = fitting(current(), cli.terminal.rows - 1);
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

function fitting(lines: string[], room: number): string[] {
  if (lines.length <= room) return lines;
  return [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more`];
}
