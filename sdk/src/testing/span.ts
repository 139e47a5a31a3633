import { type Duration, durationSecs } from "../duration.ts";

/**
 * A duration, or whole days, which are easier to read for long waits.
 *
 * @example
 * const month: Span = "30d";
 * await t.skip(month);
 */
export type Span = Duration | `${bigint}d`;

export function spanSecs(span: Span): number {
  const days = /^([1-9]\d*)d$/.exec(span)?.[1];
  return days === undefined ? durationSecs(span as Duration) : Number(days) * 86_400;
}
