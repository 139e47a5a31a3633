/** `2026-11-15 19:00:00+00`; up to six more places stand before the zone. */
const WHOLE_SECONDS = 22;

/** PostgreSQL's text of a timestamptz as ISO 8601 with milliseconds. By place: every run that is claimed has three. */
export function isoFromPostgres(text: string): string {
  if (isUtc(text))
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).slice(0, 3).padEnd(3, "0")}Z`;
  // A session in another time zone, or a year beyond 9999.
  return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString();
}

/** Years of more digits have no blank there, those before Christ another end, other zones other digits. */
function isUtc(text: string): boolean {
  return text.length >= WHOLE_SECONDS && text[10] === " " && text[4] === "-" && text.endsWith("+00");
}
