export type Language = {
  corpus: string[];
  /** What mutations insert. */
  words: string[];
  /** Whether it was accepted. Throws if what must hold does not. */
  read: (text: string) => boolean;
};

export const PAYLOAD = { n: 3, text: "aaab", list: [1, 2, { id: "x" }], nested: { a: { b: null } }, "odd-name": true };

export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
