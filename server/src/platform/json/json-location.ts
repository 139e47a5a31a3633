/** `body` + `amount` → `body.amount`; a key that is not identifier-like → `body["a b"]`. */
export function keyLocation(parent: string, key: string): string {
  return IDENTIFIER.test(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`;
}

/** `body.items` + 3 → `body.items[3]`. */
export function indexLocation(parent: string, index: number): string {
  return `${parent}[${index}]`;
}

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

export type JsonProblem = {
  kind: "malformed" | "text" | "number" | "shape" | "repeated";
  location: string;
  message: string;
  value?: unknown;
};
/** `unique_keys`: a duplicate key in an object is refused; otherwise the last one wins. */
export type JsonLimits = { root: string; depth: number; nodes: number; key_bytes: number; unique_keys: boolean };
