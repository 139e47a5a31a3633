import { createHash } from "node:crypto";
import { CAPSULE_FORMAT, CAPSULE_VERSION } from "@millrace/contract/capsules";
import { writeCanonicalJson } from "../../../platform/json/canonical-json.ts";

/**
 * A capsule as canonical JSON, and the hash of its content. The same run gives the same text, and parsing and
 * serializing it changes no byte. For `inSlices`: a run of hundreds of steps has megabytes.
 */
export function* writeCapsule(content: object): Generator<void, { document: string; sha256: string }> {
  const text = yield* writeCanonicalJson(content);
  const sha256 = hashOf(text);
  const head = `"format":${JSON.stringify(CAPSULE_FORMAT)},"sha256":"${sha256}","version":${CAPSULE_VERSION}`;
  return { document: `{"content":${text},${head}}`, sha256 };
}

/** Detects accidental changes. It is no signature: anyone can create a capsule with a valid hash. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
