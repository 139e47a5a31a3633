const UTC_TEXT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/;

/** PostgreSQL's text of a timestamptz as ISO 8601 with milliseconds. */
export function isoFromPostgres(text: string): string {
  const parts = UTC_TEXT.exec(text);
  if (parts) return `${parts[1]}T${parts[2]}.${(parts[3] ?? "").padEnd(3, "0")}Z`;
  // A session in another time zone, or a year beyond 9999.
  return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString();
}
