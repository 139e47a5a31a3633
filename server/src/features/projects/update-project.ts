import { isDeepStrictEqual } from "node:util";
import type { Project, UpdateProject } from "@millrace/contract/projects";
import { refuseBoundKey } from "../../platform/access/bound-environment.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { CallerCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { refuseIdAsSlug, slugTaken } from "../../platform/slug.ts";
import { keepOldRate, lockProject, type ProjectRow, updateProjectRow } from "./queries.ts";

export async function updateProject(ctx: CallerCtx, ref: string, body: UpdateProject): Promise<Project> {
  refuseIdAsSlug(body.slug);
  refuseBoundKey(ctx.caller, "the settings of the project are");
  return inTransaction(ctx, async (tx) => {
    const before = await lockProject(tx, ref);
    if (!before) throw notFound("project");
    refuseOrgChange(ctx, before, body);
    // The org decides what the project's keys may read beyond it.
    if (body.org_id !== undefined) tx.afterCommit(({ keyCache }) => keyCache.clear());
    const wanted = { ...before, ...body };
    if (isDeepStrictEqual(wanted, before)) return before;
    const after = await updateProjectRow(tx, wanted).catch((error) => {
      throw violates(error, "projects_slug_idx") ? slugTaken(body.slug) : error;
    });
    if (!after) throw notFound("project");
    if (after.compute_rate_microusd_per_sec !== before.compute_rate_microusd_per_sec) await keepOldRate(tx, before);
    await recordAudit(
      { ...tx, project_id: before.id },
      { action: "project.updated", resource_type: "project", resource_id: before.id, before, after },
    );
    return after;
  });
}

/** An org gives the org's keys access to the project, so only a service administrator may set it. */
function refuseOrgChange({ caller }: CallerCtx, before: ProjectRow, { org_id }: UpdateProject): void {
  if (caller.kind === "internal_secret" || org_id === undefined || org_id === before.org_id) return;
  throw new ApiError("forbidden", "Only the internal secret may move a project to another org.");
}
