export type JsonProblem = {
  kind: "malformed" | "text" | "number" | "shape";
  location: string;
  message: string;
  value?: unknown;
};
export type JsonLimits = { root: string; depth: number; nodes: number; key_bytes: number };
