import type { Canary } from "@millrace/contract/canaries";
import type { CanaryRow } from "./canary-queries.ts";

/** Versions are returned as numbers. */
export function presentCanary({ source_version_id: _, target_version_id: _target, ...shown }: CanaryRow): Canary {
  return shown;
}
