export type ParsedDuration = { ok: true; secs: number } | { ok: false; message: string };

/** Ten years of 365 days: a longer duration is a typo. */
export const MAX_DURATION_SECS = 10 * 365 * 24 * 3600;

/** Parses `30s`, `5m`, `168h`, `1h30m`: positive whole numbers, units in descending order, each once. */
export function parseDuration(text: string): ParsedDuration {
  const match = DURATION.exec(text);
  if (match === null) {
    return {
      ok: false,
      message: "must be a duration such as 30s, 5m, 24h or 1h30m: whole numbers above 0, hours first",
    };
  }

  const [, hours = "0", minutes = "0", seconds = "0"] = match;
  const secs = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (secs > MAX_DURATION_SECS) return { ok: false, message: "must be at most 10 years (87600h)" };
  return { ok: true, secs };
}

const DURATION = /^(?=.)(?:([1-9]\d*)h)?(?:([1-9]\d*)m)?(?:([1-9]\d*)s)?$/;
