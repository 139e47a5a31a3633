import { type Duration, durationSecs } from "../duration.ts";

/** A duration, or whole days: a month of waiting is easier to read so. */
export type Span = Duration | `${bigint}d`;

export function spanSecs(span: Span): number {
  const days = /^([1-9]\d*)d$/.exec(span)?.[1];
  return days === undefined ? durationSecs(span as Duration) : Number(days) * 86_400;
}
