import type { RunCapsule } from "@millrace/contract/capsules";
import { boundEnvironment } from "../../../platform/access/bound-environment.ts";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { writeCapsule } from "./capsule-document.ts";
import { type CapsuleRow, insertCapsule } from "./capsule-queries.ts";

/** Stores a run of another installation for inspection and replays. It is not executed here. */
export async function importCapsule(ctx: ProjectCtx, { sha256, content }: RunCapsule): Promise<CapsuleRow> {
  const { document, sha256: hash } = await inSlices(writeCapsule(content));
  if (hash !== sha256) {
    throw invalid("body.sha256", "is not the hash of the content: the capsule was modified", sha256);
  }
  const { workflow, run } = content;
  const capsule = {
    id: newId(),
    environment_id: boundEnvironment(ctx.caller),
    workflow_run_id: run.id,
    workflow_id: workflow.id,
    workflow_slug: workflow.slug,
    workflow_name: workflow.name,
    version: run.version,
    status: run.status,
    sha256,
    document,
    size_bytes: Buffer.byteLength(document),
  };
  return inTransaction(ctx, async (tx) => {
    const after = await insertCapsule(tx, capsule);
    await recordAudit(tx, {
      action: "run_capsule.imported",
      resource_type: "run_capsule",
      resource_id: after.id,
      after,
    });
    return after;
  });
}
