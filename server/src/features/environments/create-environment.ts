import type { CreateEnvironment, Environment } from "@millrace/contract/environments";
import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { insertWithSlug } from "../../platform/slug.ts";
import { readParent, refuseVanishedParent } from "./lineage.ts";
import { insertEnvironment, lockParents } from "./queries.ts";
import { encryptVariables, presentEnvironment, redactEnvironment } from "./variables.ts";

export async function createEnvironment(ctx: ProjectCtx, body: CreateEnvironment): Promise<Environment> {
  refuseBoundKey(ctx);
  const id = newId();
  const variables = await encryptVariables(ctx, id, body.variables ?? {});
  return inTransaction(ctx, async (tx) => {
    if (body.parent_id) await lockParents(tx);
    const parent_id = body.parent_id ? await readParent(tx, id, body.parent_id) : null;
    const row = await insertWithSlug(body, (slug) =>
      insertEnvironment(tx, { id, name: body.name, slug, parent_id, variables }),
    ).catch((error) => refuseVanishedParent(error, parent_id));
    const created = await presentEnvironment(tx, row);
    await recordAudit(tx, {
      action: "environment.created",
      resource_type: "environment",
      resource_id: id,
      after: redactEnvironment(created),
    });
    return created;
  });
}

/** The caller could not see the environment it created. */
function refuseBoundKey({ caller }: ProjectCtx): void {
  if (boundEnvironment(caller) === null) return;
  throw new ApiError("forbidden", "This key is bound to one environment and cannot create others.");
}
