import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type CanaryRow, endActiveCanary, setCurrentVersion } from "./canary-queries.ts";

/** Promoted, its target is the current version; rolled back, its source is. Undefined: somebody else was faster. */
export async function endCanary(
  tx: Ctx & InTransaction,
  canary: CanaryRow,
  status: "promoted" | "rolled_back",
): Promise<CanaryRow | undefined> {
  const ended = await endActiveCanary(tx, canary, status);
  if (!ended) return undefined;
  const current =
    status === "promoted"
      ? { version_id: canary.target_version_id, version: canary.target_version }
      : { version_id: canary.source_version_id, version: canary.source_version };
  await setCurrentVersion(tx, { project_id: canary.project_id, id: canary.workflow_id }, current);
  return ended;
}
