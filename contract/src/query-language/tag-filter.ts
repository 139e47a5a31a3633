/** A tag filter: the tag with this value, or with any value if it is null. */
export type ParsedTag = { key: string; value: string | null };

const KEY_AND_VALUE = /^((?:\\[\\:]|[^:])*)(?::(.*))?$/s;

/** `key` or `key:value`, split at the first colon. In the key, a colon is escaped as `\:` and a backslash as `\\`. */
export function parseTag(text: string): ParsedTag {
  const [, key = "", value = null] = KEY_AND_VALUE.exec(text) ?? [];
  return { key: key.replaceAll(/\\([\\:])/g, "$1"), value };
}
