import { isDeepStrictEqual } from "node:util";
import {
  CreatedProject,
  CreateProject,
  ListProjectsQuery,
  Project,
  ProjectList,
  RotateWebhookSecret,
  UpdateProject,
  WebhookSecret,
} from "@millrace/contract/projects/projects";
import { refuseBoundKey } from "../../platform/access/environments.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { CallerCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { callerRoute, internalRoute, type Route } from "../../platform/route.ts";
import { newSigningSecret } from "../../platform/secrets/sign.ts";
import { refuseIdAsSlug, slugTaken } from "../../platform/slug.ts";
import { createProject } from "./create-project.ts";
import { deleteProject } from "./delete-project.ts";
import {
  getProject,
  keepOldRate,
  listProjects as listRows,
  lockProject,
  type ProjectRow,
  replaceWebhookSecret,
  updateProjectRow,
} from "./queries.ts";

export const projectRoutes: Route[] = [
  internalRoute("POST /v1/projects", {
    summary: "Create a project",
    body: CreateProject,
    response: CreatedProject,
    status: 201,
    errors: ["slug_taken"],
    run: (ctx, { body }) => createProject(ctx, body),
  }),
  callerRoute("GET /v1/projects", {
    summary: "List the projects the caller may read",
    scope: "projects:read",
    query: ListProjectsQuery,
    response: ProjectList,
    run: (ctx, { query }) => listProjects(ctx, query),
  }),
  callerRoute("GET /v1/projects/{projectID}", {
    summary: "Get a project by id or slug",
    scope: "projects:read",
    response: Project,
    run: (ctx, { params }) => getProject(ctx, params.projectID),
  }),
  callerRoute("PATCH /v1/projects/{projectID}", {
    summary: "Update a project",
    scope: "projects:write",
    body: UpdateProject,
    response: Project,
    errors: ["slug_taken"],
    run: (ctx, { params, body }) => updateProject(ctx, params.projectID, body),
  }),
  internalRoute("DELETE /v1/projects/{projectID}", {
    summary: "Delete a project and its keys",
    run: (ctx, { params }) => deleteProject(ctx, params.projectID),
  }),
  callerRoute("POST /v1/projects/{projectID}/webhook-secret/rotate", {
    summary: "Rotate the secret that signs outgoing requests",
    scope: "projects:write",
    body: RotateWebhookSecret,
    response: WebhookSecret,
    run: (ctx, { params, body }) => rotateWebhookSecret(ctx, params.projectID, body),
  }),
];

async function listProjects(ctx: CallerCtx, query: ListProjectsQuery) {
  const page = readPage(ctx, "projects", query, "p");
  return presentPage(ctx, page, await listRows(ctx, page));
}

async function updateProject(ctx: CallerCtx, ref: string, body: UpdateProject): Promise<Project> {
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

/** Issues a new signing secret; during the grace period requests carry a signature of each. */
async function rotateWebhookSecret(
  ctx: CallerCtx,
  ref: string,
  { grace_period_minutes = 0 }: RotateWebhookSecret,
): Promise<WebhookSecret> {
  const webhook_secret = newSigningSecret();
  refuseBoundKey(ctx.caller, "the signing secret is");
  return inTransaction(ctx, async (tx) => {
    const project = await lockProject(tx, ref);
    if (!project) throw notFound("project");
    const { id } = project;
    const encrypted = await ctx.encryption.encryptText(tx.db, id, `${id}/webhook_secret`, webhook_secret);
    const replaced = await replaceWebhookSecret(tx, id, encrypted, grace_period_minutes);
    await recordAudit(
      { ...tx, project_id: id },
      { action: "project.webhook_secret_rotated", resource_type: "project", resource_id: id, after: replaced },
    );
    return { webhook_secret, ...replaced };
  });
}
