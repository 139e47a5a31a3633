import { MillraceError } from "./errors.ts";

type Hours = `${bigint}h`;
type Minutes = `${bigint}m`;
type Seconds = `${bigint}s`;

/**
 * A duration such as `30s`, `5m`, `24h` or `1h30m`: whole numbers, larger units first.
 *
 * @example
 * const timeout: Duration = "1h30m";
 */
export type Duration =
  | Hours
  | Minutes
  | Seconds
  | `${Hours}${Minutes}`
  | `${Hours}${Seconds}`
  | `${Minutes}${Seconds}`
  | `${Hours}${Minutes}${Seconds}`;

export function durationSecs(duration: Duration): number {
  const [found, hours = "0", minutes = "0", seconds = "0"] = DURATION.exec(duration) ?? [];
  if (found === undefined) {
    throw new MillraceError("bad_duration", `${duration} is not a duration such as 30s, 5m, 24h or 1h30m`);
  }
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

const DURATION = /^(?=.)(?:([1-9]\d*)h)?(?:([1-9]\d*)m)?(?:([1-9]\d*)s)?$/;
