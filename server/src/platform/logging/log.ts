import { type Logger, pino } from "pino";
import type { Mode } from "../settings/config.ts";

export type Log = Logger;

/** JSON lines in production, short readable lines in development. The API layer logs requests, never their bodies. */
export function openLog(mode: Mode, level: string): Log {
  const settings = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return mode === "serve"
    ? pino(settings)
    : pino(settings, { write: (line) => process.stdout.write(formatReadable(line)) });
}

/**
 * `12:03:11 warn  the database is unreachable  reason="…"`. Control characters are escaped, so no value can forge a
 * line.
 */
function formatReadable(line: string): string {
  const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const label = pino.levels.labels[level as number] ?? "?";
  const fields = Object.entries(rest).map(([name, value]) => `  ${name}=${JSON.stringify(value)}`);
  const message = JSON.stringify(msg ?? "").slice(1, -1);
  return `${String(time).slice(11, 19)} ${label.padEnd(5)} ${message}${fields.join("")}\n`;
}
