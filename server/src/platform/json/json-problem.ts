export type JsonProblem = {
  kind: "malformed" | "text" | "number" | "shape" | "repeated";
  location: string;
  message: string;
  value?: unknown;
};
/** `unique_keys`: an object that names a key twice is refused; else the last one counts. */
export type JsonLimits = { root: string; depth: number; nodes: number; key_bytes: number; unique_keys: boolean };
