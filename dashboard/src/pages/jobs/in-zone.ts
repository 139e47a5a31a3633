/** Includes the offset, which shows daylight-saving changes. */
export function inZone(at: string, timeZone: string): string {
  return new Date(at).toLocaleString(undefined, {
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone,
    timeZoneName: "shortOffset",
  });
}

/** `GMT+2`, the offset at that instant. */
export function offsetIn(at: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone, timeZoneName: "shortOffset" }).formatToParts(new Date(at));
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}
