import { isDeepStrictEqual } from "node:util";
import { Canary, CanaryComparison, CreateCanary, UpdateCanary } from "@millrace/contract/workflows/canaries";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import { throwIssues } from "../../../platform/errors/issues.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { findWorkflow, lockWorkflow, type WorkflowRow } from "../queries.ts";
import { refuseBeyondKey } from "../validate/references.ts";
import { compareVersions } from "./canary-metrics.ts";
import {
  type CanaryRow,
  findCanary,
  presentCanary,
  raiseRevision,
  readAutoPromote,
  updateActiveCanary,
} from "./canary-queries.ts";
import { createCanary } from "./create-canary.ts";
import { endCanary } from "./end-canary.ts";

const foundBy = { table: "workflows", param: "workflowID" } as const;

export const canaryRoutes: Route[] = [
  projectRoute("POST /v1/workflows/{workflowID}/canary", {
    summary: "Start a canary: a share of new runs uses another version",
    scope: "workflows:write",
    foundBy,
    body: CreateCanary,
    response: Canary,
    status: 201,
    errors: ["canary_active", "policy_violated", "same_author"],
    run: (ctx, { params, body }) => createCanary(ctx, params.workflowID, body),
  }),
  projectRoute("GET /v1/workflows/{workflowID}/canary", {
    summary: "Get the active canary, or the last one, with a comparison of both versions",
    scope: "workflows:read",
    foundBy,
    response: CanaryComparison,
    run: (ctx, { params }) => getCanary(ctx, params.workflowID),
  }),
  projectRoute("PATCH /v1/workflows/{workflowID}/canary", {
    summary: "Change the share of the active canary, or its automatic promotion",
    scope: "workflows:write",
    foundBy,
    body: UpdateCanary,
    response: CanaryComparison,
    errors: ["canary_ended"],
    run: (ctx, { params, body }) => updateCanary(ctx, params.workflowID, body),
  }),
  projectRoute("POST /v1/workflows/{workflowID}/canary/promote", {
    summary: "Promote the canary: its target becomes the current version",
    scope: "workflows:write",
    foundBy,
    response: Canary,
    errors: ["canary_ended"],
    run: (ctx, { params }) => decideCanary(ctx, params.workflowID, "promoted"),
  }),
  projectRoute("POST /v1/workflows/{workflowID}/canary/rollback", {
    summary: "Roll the canary back: its source stays the current version",
    scope: "workflows:write",
    foundBy,
    response: Canary,
    errors: ["canary_ended"],
    run: (ctx, { params }) => decideCanary(ctx, params.workflowID, "rolled_back"),
  }),
];

/** Ends the active canary on request. Runs keep the version they were started with. */
async function decideCanary(ctx: ProjectCtx, ref: string, status: "promoted" | "rolled_back"): Promise<Canary> {
  return inTransaction(ctx, async (tx) => {
    const { canary } = await lockActiveCanary(tx, ref);
    const ended = await endCanary(tx, canary, status);
    if (!ended) throw canaryEnded(canary);
    const { row, entry } = ended;
    const [before, after] = [presentCanary(canary), presentCanary(row)];
    await recordAudit(tx, { action: `canary.${status}`, resource_type: "canary", resource_id: row.id, before, after });
    if (entry) await recordAudit(tx, entry);
    return after;
  });
}

/** Returns the active canary of a workflow, or the last one, with the results of both versions' runs. */
async function getCanary(ctx: ProjectCtx, ref: string): Promise<CanaryComparison> {
  const row = await readCanary(ctx, ref);
  return { ...presentCanary(row), metrics: await compareVersions(ctx, row) };
}

async function readCanary(ctx: ProjectCtx, ref: string): Promise<CanaryRow> {
  const workflow = await findWorkflow(ctx, ref);
  if (!workflow) throw notFound("workflow");
  const row = await findCanary(ctx, ctx.project_id, workflow.id);
  if (!row) throw notFound("canary");
  return row;
}

/** Changes the share or the configuration of the active canary. An update that changes nothing writes nothing. */
async function updateCanary(ctx: ProjectCtx, ref: string, body: UpdateCanary): Promise<CanaryComparison> {
  const { config, issues } = readAutoPromote(body.auto_promote_config);
  throwIssues(issues);
  const changed = await inTransaction(ctx, async (tx) => {
    const { workflow, canary } = await lockActiveCanary(tx, ref);
    const traffic_pct = body.traffic_pct ?? canary.traffic_pct;
    const wanted = body.auto_promote_config === undefined ? canary.auto_promote_config : config;
    const before = presentCanary(canary);
    if (traffic_pct === canary.traffic_pct && isDeepStrictEqual(wanted, canary.auto_promote_config)) return canary;
    const row = await updateActiveCanary(tx, { ...canary, traffic_pct, auto_promote_config: wanted });
    if (!row) throw canaryEnded(canary);
    await raiseRevision(tx, workflow);
    const after = presentCanary(row);
    await recordAudit(tx, { action: "canary.updated", resource_type: "canary", resource_id: row.id, before, after });
    return row;
  });
  return { ...presentCanary(changed), metrics: await compareVersions(ctx, changed) };
}

/** Returns the active canary with its workflow locked, so that the second of two concurrent changes sees the first. */
async function lockActiveCanary(
  tx: ProjectCtx & InTransaction,
  ref: string,
): Promise<{ workflow: WorkflowRow; canary: CanaryRow }> {
  const workflow = await lockWorkflow(tx, ref);
  if (!workflow) throw notFound("workflow");
  refuseBeyondKey(tx, workflow.environment_id);
  const canary = await findCanary(tx, tx.project_id, workflow.id);
  if (!canary) throw notFound("canary");
  if (canary.status !== "active") throw canaryEnded(canary);
  return { workflow, canary };
}

function canaryEnded({ status }: Pick<CanaryRow, "status">): ApiError {
  const how = status === "active" ? "ended meanwhile" : status.replace("_", " ");
  return new ApiError("canary_ended", `The canary has been ${how}.`);
}
