import {
  DecideApproval,
  ListMapItemsQuery,
  ListStepsQuery,
  MapItemList,
  SkipStep,
  StepRun,
  StepRunList,
} from "@millrace/contract/workflows/step-runs";
import { type Decision, decideApproval } from "../../../flow/events/decide-approval.ts";
import { redactSteps } from "../../../flow/workflows/operate/redact-denied.ts";
import {
  replaySubtree as replayInFlow,
  retryStep as retryInFlow,
} from "../../../flow/workflows/operate/retry-steps.ts";
import { skipStep as skipInFlow } from "../../../flow/workflows/operate/skip-step.ts";
import type { StepRunRow } from "../../../flow/workflows/step-run-columns.ts";
import { approverNames } from "../../../platform/access/approver-names.ts";
import { actorOf } from "../../../platform/actor.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { presentPage, readPageById, readPageByNumber } from "../../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { auditWorkflowRun } from "../audit-workflow-run.ts";
import { getWorkflowRun, listSteps as listRows } from "../queries.ts";
import { getStep, listItemRows } from "./item-queries.ts";

const foundBy = { table: "workflow_runs", param: "workflowRunID" } as const;

export const stepRoutes: Route[] = [
  projectRoute("GET /v1/workflow-runs/{workflowRunID}/steps", {
    summary: "List the steps of a workflow run",
    scope: "workflows:read",
    foundBy,
    query: ListStepsQuery,
    response: StepRunList,
    run: (ctx, { params, query }) => listSteps(ctx, params.workflowRunID, query),
  }),
  projectRoute("GET /v1/workflow-runs/{workflowRunID}/steps/{stepRef}", {
    summary: "Get a step of a workflow run",
    scope: "workflows:read",
    foundBy,
    response: StepRun,
    run: (ctx, { params }) => getStep(ctx, params.workflowRunID, params.stepRef),
  }),
  projectRoute("GET /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/items", {
    summary: "List the items of a map step",
    scope: "workflows:read",
    foundBy,
    query: ListMapItemsQuery,
    response: MapItemList,
    run: (ctx, { params, query }) => listItems(ctx, params.workflowRunID, params.stepRef, query),
  }),
  projectRoute("POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/retry", {
    summary: "Retry an ended step, with the steps skipped or canceled because of it",
    scope: "workflows:write",
    foundBy,
    response: StepRun,
    errors: ["data_deleted", "step_not_ended", "workflow_run_compensating"],
    run: (ctx, { params }) => retryStep(ctx, params.workflowRunID, params.stepRef),
  }),
  projectRoute("POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/replay-subtree", {
    summary: "Replay a step and all steps that depend on it",
    scope: "workflows:write",
    foundBy,
    response: StepRun,
    errors: ["data_deleted", "step_not_started", "workflow_run_compensating"],
    run: (ctx, { params }) => replaySubtree(ctx, params.workflowRunID, params.stepRef),
  }),
  projectRoute("POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/approve", {
    summary: "Approve a step that waits for approval",
    scope: "workflows:write",
    foundBy,
    body: DecideApproval,
    response: StepRun,
    errors: ["not_an_approver", "step_not_waiting"],
    run: (ctx, { params, body }) => decideStep(ctx, stepKeyOf(params), "approve", body),
  }),
  projectRoute("POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/reject", {
    summary: "Reject a step that waits for approval, which fails it",
    scope: "workflows:write",
    foundBy,
    body: DecideApproval,
    response: StepRun,
    errors: ["not_an_approver", "step_not_waiting"],
    run: (ctx, { params, body }) => decideStep(ctx, stepKeyOf(params), "reject", body),
  }),
  projectRoute("POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/skip", {
    summary: "Skip a step, so that the steps that depend on it can start",
    scope: "workflows:write",
    foundBy,
    body: SkipStep,
    response: StepRun,
    errors: ["data_deleted", "not_an_approver", "step_ended", "workflow_run_compensating"],
    run: (ctx, { params, body }) => skipStep(ctx, params.workflowRunID, params.stepRef, body),
  }),
];

function stepKeyOf({ workflowRunID, stepRef }: { workflowRunID: string; stepRef: string }) {
  return { id: workflowRunID, ref: stepRef };
}

/** The items of a map step, in order by default. Other steps have none. */
async function listItems(ctx: ProjectCtx, id: string, ref: string, query: ListMapItemsQuery) {
  const step = await getStep(ctx, id, ref);
  const list = `workflow-runs/${step.workflow_run_id}/steps/${step.step_ref}/items`;
  const page = readPageByNumber(ctx, list, { order: "asc", ...query }, "i.item_index");
  const { data, ...rest } = presentPage(ctx, page, await listItemRows(ctx, step, query, page));
  return { ...rest, data: data.map(({ id: _, ...item }) => item) };
}

/** In definition order by default. */
async function listSteps(ctx: ProjectCtx, id: string, query: ListStepsQuery) {
  const run = await getWorkflowRun(ctx, id);
  const page = readPageById(ctx, `workflow-runs/${run.id}/steps`, { order: "asc", ...query }, "p");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, run.id, page));
  const steps = await redactSteps(ctx, run.id, data);
  return { ...rest, data: steps.map(({ step_run_id, ...step }) => ({ ...step, id: step_run_id })) };
}

type Place = { id: string; ref: string };

export async function decideStep(
  ctx: ProjectCtx,
  { id, ref }: Place,
  verdict: Decision["verdict"],
  body: DecideApproval,
): Promise<StepRunRow> {
  const { workflow_run_id, step_ref } = await getStep(ctx, id, ref);
  const comment = body.comment ?? null;
  const decision = { verdict, comment, by: actorOf(ctx.caller), names: await approverNames(ctx) };
  const action = verdict === "approve" ? "step_approved" : "step_rejected";
  await decideApproval(ctx, { project_id: ctx.project_id, workflow_run_id, step_ref }, decision, (tx) =>
    auditWorkflowRun(tx, { action, workflow_run_id, after: { step_ref, comment } }),
  );
  return getStep(ctx, workflow_run_id, step_ref);
}

async function replaySubtree(ctx: ProjectCtx, id: string, ref: string): Promise<StepRunRow> {
  const { workflow_run_id, step_ref } = await getStep(ctx, id, ref);
  const key = { project_id: ctx.project_id, workflow_run_id, step_ref };
  await replayInFlow(ctx, key, actorOf(ctx.caller), (tx, { status }) =>
    auditWorkflowRun(tx, { action: "subtree_replayed", workflow_run_id, before: { status }, after: { step_ref } }),
  );
  return getStep(ctx, workflow_run_id, step_ref);
}

async function retryStep(ctx: ProjectCtx, id: string, ref: string): Promise<StepRunRow> {
  const { workflow_run_id, step_ref } = await getStep(ctx, id, ref);
  const key = { project_id: ctx.project_id, workflow_run_id, step_ref };
  await retryInFlow(ctx, key, actorOf(ctx.caller), (tx, { status }) =>
    auditWorkflowRun(tx, { action: "step_retried", workflow_run_id, before: { status }, after: { step_ref } }),
  );
  return getStep(ctx, workflow_run_id, step_ref);
}

async function skipStep(ctx: ProjectCtx, id: string, ref: string, body: SkipStep): Promise<StepRunRow> {
  const { workflow_run_id, step_ref } = await getStep(ctx, id, ref);
  const reason = body.reason ?? null;
  const decider = { by: actorOf(ctx.caller), names: await approverNames(ctx) };
  const order = { project_id: ctx.project_id, workflow_run_id, step_ref, reason, ...decider };
  await skipInFlow(ctx, order, (tx, { status }) =>
    auditWorkflowRun(tx, { action: "step_skipped", workflow_run_id, before: { status }, after: { step_ref, reason } }),
  );
  return getStep(ctx, workflow_run_id, step_ref);
}
