import { isDeepStrictEqual } from "node:util";
import type { ResolvedEnvironment, UpdateEnvironment } from "@millrace/contract/projects/environments";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { refuseIdAsSlug, slugTaken } from "../../platform/slug.ts";
import { readParent, refuseVanishedParent, resolveEnvironment } from "./get-environment.ts";
import { type EnvironmentRow, lockEnvironment, lockParents, updateEnvironmentRow } from "./queries.ts";
import { encryptVariables, presentEnvironment, redactEnvironment } from "./variables.ts";

export async function updateEnvironment(
  ctx: ProjectCtx,
  ref: string,
  body: UpdateEnvironment,
): Promise<ResolvedEnvironment> {
  refuseIdAsSlug(body.slug);
  return inTransaction(ctx, async (tx) => {
    if (body.parent_id) await lockParents(tx);
    const before = await lockEnvironment(tx, ref);
    if (!before) throw notFound("environment");
    refuseStandard(before, body);
    const changes = await withParent(tx, before, body);
    const shownBefore = await presentEnvironment(tx, before);
    if (isDeepStrictEqual({ ...shownBefore, ...changes }, shownBefore)) return resolveEnvironment(tx, before);
    const after = await writeChange(tx, before, changes);
    await recordAudit(tx, {
      action: "environment.updated",
      resource_type: "environment",
      resource_id: before.id,
      before: redactEnvironment(shownBefore),
      after: redactEnvironment(await presentEnvironment(tx, after)),
    });
    return resolveEnvironment(tx, after);
  });
}

/** Resolves the slug of a parent to its id. An unchanged parent is not checked again. */
async function withParent(
  tx: ProjectCtx & InTransaction,
  { id, parent_id: current }: EnvironmentRow,
  body: UpdateEnvironment,
): Promise<UpdateEnvironment> {
  if (!body.parent_id || body.parent_id === current) return body;
  return { ...body, parent_id: await readParent(tx, id, body.parent_id) };
}

async function writeChange(
  ctx: ProjectCtx & InTransaction,
  before: EnvironmentRow,
  { variables, ...changes }: UpdateEnvironment,
): Promise<EnvironmentRow> {
  const encrypted = variables ? await encryptVariables(ctx, before.id, variables) : before.variables;
  const after = await updateEnvironmentRow(ctx, { ...before, ...changes, variables: encrypted }).catch((error) => {
    if (violates(error, "environments_project_id_slug_key")) throw slugTaken(changes.slug);
    return refuseVanishedParent(error, changes.parent_id);
  });
  if (!after) throw notFound("environment");
  return after;
}

/** Runs find production by its slug, and must not inherit from an environment they did not choose. */
function refuseStandard(before: EnvironmentRow, { slug, parent_id }: UpdateEnvironment): void {
  const changesSlug = slug !== undefined && slug !== before.slug;
  if (!before.is_standard || (!changesSlug && !parent_id)) return;
  throw new ApiError(
    "environment_is_standard",
    `${before.slug} is a standard environment: its slug and parent are fixed.`,
  );
}
