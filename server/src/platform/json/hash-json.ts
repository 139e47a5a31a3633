import { createHash } from "node:crypto";
import { runSyncOrInSlices } from "../time-slices.ts";
import { writeCanonicalJson } from "./canonical-json.ts";

/** The SHA-256 of a value's canonical JSON, in hex: equal values have equal hashes. A promise if the value is large. */
export function hashJson(value: unknown): string | Promise<string> {
  return runSyncOrInSlices(writeHash(value));
}

/** The same for `inSlices`. */
export function* writeHash(value: unknown): Generator<void, string> {
  const text = yield* writeCanonicalJson(value);
  return createHash("sha256").update(text).digest("hex");
}
