import {
  CreateEnvironment,
  Environment,
  EnvironmentList,
  ListEnvironmentsQuery,
  ResolvedEnvironment,
  UpdateEnvironment,
} from "@millrace/contract/projects/environments";
import { boundEnvironment } from "../../platform/access/environments.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { inUseIssues } from "../../platform/errors/issues.ts";
import { newId } from "../../platform/ids.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { insertWithSlug } from "../../platform/slug.ts";
import { getEnvironment, readParent, refuseVanishedParent } from "./get-environment.ts";
import {
  type Dependent,
  deleteEnvironmentRow,
  insertEnvironment,
  listDependents,
  listEnvironments as listRows,
  lockEnvironment,
  lockParents,
} from "./queries.ts";
import { updateEnvironment } from "./update-environment.ts";
import { encryptVariables, presentEnvironment, redactEnvironment } from "./variables.ts";

const foundBy = { table: "environments", param: "envID" } as const;

export const environmentRoutes: Route[] = [
  projectRoute("POST /v1/environments", {
    summary: "Create an environment",
    scope: "environments:write",
    body: CreateEnvironment,
    response: Environment,
    status: 201,
    errors: ["environment_cycle", "slug_taken"],
    run: (ctx, { body }) => createEnvironment(ctx, body),
  }),
  projectRoute("GET /v1/environments", {
    summary: "List environments",
    scope: "environments:read",
    query: ListEnvironmentsQuery,
    response: EnvironmentList,
    run: (ctx, { query }) => listEnvironments(ctx, query),
  }),
  projectRoute("GET /v1/environments/{envID}", {
    summary: "Get an environment with the variables it inherits",
    scope: "environments:read",
    foundBy,
    response: ResolvedEnvironment,
    run: (ctx, { params }) => getEnvironment(ctx, params.envID),
  }),
  projectRoute("PATCH /v1/environments/{envID}", {
    summary: "Update an environment",
    scope: "environments:write",
    foundBy,
    body: UpdateEnvironment,
    response: ResolvedEnvironment,
    errors: ["environment_cycle", "environment_is_standard", "slug_taken"],
    run: (ctx, { params, body }) => updateEnvironment(ctx, params.envID, body),
  }),
  projectRoute("DELETE /v1/environments/{envID}", {
    summary: "Delete an environment that nothing depends on",
    scope: "environments:write",
    foundBy,
    errors: ["environment_in_use", "environment_is_standard"],
    run: (ctx, { params }) => deleteEnvironment(ctx, params.envID),
  }),
];

async function listEnvironments(ctx: ProjectCtx, query: ListEnvironmentsQuery) {
  const page = readPage(ctx, "environments", query, "e");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page));
  return { data: await Promise.all(data.map((row) => presentEnvironment(ctx, row))), ...rest };
}

async function createEnvironment(ctx: ProjectCtx, body: CreateEnvironment): Promise<Environment> {
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

/** Permanent. The row lock prevents a key or child from being created concurrently. */
async function deleteEnvironment(ctx: ProjectCtx, ref: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await lockEnvironment(tx, ref);
    if (!before) throw notFound("environment");
    if (before.is_standard)
      throw new ApiError("environment_is_standard", `${before.slug} is a standard environment and cannot be deleted.`);
    refuseInUse(await listDependents(tx, before.id));
    const shown = redactEnvironment(await presentEnvironment(tx, before));
    await deleteEnvironmentRow(tx, before.id);
    await recordAudit(tx, {
      action: "environment.deleted",
      resource_type: "environment",
      resource_id: before.id,
      before: shown,
    });
  });
}

function refuseInUse(dependents: Dependent[]): void {
  if (dependents.length === 0) return;
  const errors = inUseIssues(dependents, "path.envID", ({ kind, name }) => `the ${kind} "${name}" depends on it`);
  throw new ApiError("environment_in_use", `${dependents.length} objects still depend on this environment.`, {
    errors,
  });
}
