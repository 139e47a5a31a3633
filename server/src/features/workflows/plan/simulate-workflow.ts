import type { SimulateWorkflow, WorkflowSimulation } from "@millrace/contract/workflows/workflow-versions";
import type { StepDefinition, WorkflowDefinition } from "../../../flow/workflows/plan/definition.ts";
import { indexGraph } from "../../../flow/workflows/plan/graph-index.ts";
import { type AssumedOutcome, simulateRun } from "../../../flow/workflows/plan/simulate-run.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { throwIssues } from "../../../platform/errors/issues.ts";
import { schemaIssues } from "../../../platform/json-schema/compile-json-schema.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { requestedVersion, type VersionRow } from "../versions/version-queries.ts";
import { checkSteps } from "./plan-workflow.ts";

/** Without a payload only the order is returned: the branches depend on it. */
export async function simulateWorkflow(
  ctx: ProjectCtx,
  ref: string,
  body: SimulateWorkflow,
): Promise<Omit<WorkflowSimulation, "$schema">> {
  const version = await versionToSimulate(ctx, ref, body);
  const { workflow_id, id, version: number } = version;
  const definition = version as WorkflowDefinition;
  const outcomes = readOutcomes(version, body.outcomes ?? {});
  if (body.payload !== undefined) refusePayload(version, body.payload);
  return {
    workflow_id,
    version_id: id,
    version: number,
    step_count: version.steps.length,
    predicted_order: indexGraph(definition).order.map(({ step }) => step.step_ref),
    branches: body.payload === undefined ? null : await inSlices(simulateRun(definition, body.payload, outcomes)),
  };
}

/** The stored version, or the version with the given steps. Needs a transaction because those lock what they name. */
function versionToSimulate(ctx: ProjectCtx, ref: string, { version_id, steps }: SimulateWorkflow): Promise<VersionRow> {
  if (!steps) return requestedVersion(ctx, ref, version_id);
  return inTransaction(ctx, async (tx) => {
    const version = await requestedVersion(tx, ref, version_id);
    const checked = await checkSteps(tx, version.steps as StepDefinition[], { steps, reordered: new Set() });
    throwIssues(checked.issues);
    return { ...version, steps: checked.steps };
  });
}

function readOutcomes({ steps }: VersionRow, given: Record<string, AssumedOutcome>): Map<string, AssumedOutcome> {
  const refs = new Set(steps.map(({ step_ref }) => step_ref));
  const unknown = Object.keys(given).filter((ref) => !refs.has(ref));
  const message = "is not a step of this workflow";
  throwIssues(unknown.map((ref) => ({ location: `body.outcomes.${ref}`, message, value: ref })));
  return new Map(Object.entries(given));
}

/** Validates like a trigger. */
function refusePayload({ id, payload_schema }: VersionRow, payload: unknown): void {
  if (!payload_schema) return;
  const errors = schemaIssues(`${id}/payload`, payload_schema, payload, "body.payload");
  const [first] = errors;
  if (!first) return;
  throw new ApiError("payload_invalid", `A trigger would be rejected: ${first.location}: ${first.message}`, { errors });
}
