/** Of a tag filter: a tag of any value (null), or of this one. */
export type AskedTag = { key: string; value: string | null };

const KEY_AND_VALUE = /^((?:\\[\\:]|[^:])*)(?::(.*))?$/s;

/** `key`, or `key:value`: the first colon divides. One that belongs to the key is written `\:`, and a backslash there `\\`. */
export function parseTag(text: string): AskedTag {
  const [, key = "", value = null] = KEY_AND_VALUE.exec(text) ?? [];
  return { key: key.replaceAll(/\\([\\:])/g, "$1"), value };
}
