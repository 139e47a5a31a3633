/** One text for all spellings of a value: sorted keys, no spaces. Equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "number" && Number.isFinite(value)) return `${value}`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = value as Record<string, unknown>;
  let text = "";
  for (const name of Object.keys(fields).sort()) {
    text += `${text === "" ? "" : ","}${quoted(name)}:${canonicalJson(fields[name])}`;
  }
  return `{${text}}`;
}

/** Most names need no escaping; a payload may have 50,000 of them. */
const PLAIN = /^[\w-]*$/;

function quoted(name: string): string {
  return PLAIN.test(name) ? `"${name}"` : JSON.stringify(name);
}
