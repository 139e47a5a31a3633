/** The bits of a hash. More would enlarge the index, fewer would make a search read more blocks for nothing. */
const BITS = 24;

export const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a, with the length after each text, so that "ab" + "c" differs from "a" + "bc". */
export function hash(start: number, text: string): number {
  return hashPart(start, text, 0, text.length);
}

/** The same of a part of a text, without a copy of it. */
export function hashPart(start: number, text: string, from: number, to: number): number {
  let state = start;
  for (let at = from; at < to; at++) state = Math.imul(state ^ text.charCodeAt(at), FNV_PRIME);
  return Math.imul(state ^ (to - from), FNV_PRIME);
}

/** Final mix of murmur3, so that all bits count. */
export function fold(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) >>> (32 - BITS);
}
