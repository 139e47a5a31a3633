import { createHash } from "node:crypto";
import { CAPSULE_FORMAT, CAPSULE_VERSION } from "@millrace/contract/capsules";
import { canonicalJson } from "../../platform/json/canonical-json.ts";

/** A capsule as text. The same run gives the same text, and parsing and serializing it changes no byte. */
export function writeCapsule(content: object): string {
  return canonicalJson({ format: CAPSULE_FORMAT, version: CAPSULE_VERSION, sha256: hashOf(content), content });
}

/** Detects accidental changes. It is no signature: anyone can create a capsule with a valid hash. */
export function hashOf(content: object): string {
  return createHash("sha256").update(canonicalJson(content)).digest("hex");
}
