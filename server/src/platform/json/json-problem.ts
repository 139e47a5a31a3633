export type JsonProblem = {
  kind: "malformed" | "text" | "number" | "shape" | "repeated";
  location: string;
  message: string;
  value?: unknown;
};
/** `unique_keys`: a duplicate key in an object is refused; otherwise the last one wins. */
export type JsonLimits = { root: string; depth: number; nodes: number; key_bytes: number; unique_keys: boolean };
