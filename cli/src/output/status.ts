import type { Colors } from "../cli.ts";

/** Colors a status. The word itself carries the meaning, so nothing is lost without colors. */
export function paintStatus(colors: Colors, status: string): string {
  return (PAINTS[status] ?? ((_, text) => text))(colors, status);
}

/** Symbol of a step in the tree. */
export function signOf(colors: Colors, status: string): string {
  return (PAINTS[status] ?? ((_, text) => text))(colors, SIGNS[status] ?? "·");
}

type Paint = (colors: Colors, text: string) => string;
const good: Paint = (colors, text) => colors.green(text);
const bad: Paint = (colors, text) => colors.red(text);
const busy: Paint = (colors, text) => colors.cyan(text);
const onHold: Paint = (colors, text) => colors.yellow(text);
const quiet: Paint = (colors, text) => colors.dim(text);

const PAINTS: Record<string, Paint> = {
  completed: good,
  received: good,
  failed: bad,
  timed_out: bad,
  running: busy,
  waiting: onHold,
  paused: onHold,
  pending: quiet,
  skipped: quiet,
  canceled: quiet,
};

const SIGNS: Record<string, string> = {
  completed: "✓",
  failed: "✗",
  timed_out: "✗",
  running: "●",
  waiting: "◷",
  paused: "‖",
  pending: "○",
  skipped: "–",
  canceled: "⊘",
};
