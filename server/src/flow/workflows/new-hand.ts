import type { Ctx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import type { NewWorkflowRun } from "./new-workflow-run.ts";
import type { RunInHand, StepInHand } from "./run-in-hand.ts";
import { findWorkflowVersion } from "./workflow-version.ts";

/** A workflow run that is being born, in hand before anything of it is written. */
export async function newHand(ctx: Ctx, newRun: NewWorkflowRun): Promise<RunInHand> {
  const { project_id, id, workflow_id, version_id, environment_id, payload, tags, metadata } = newRun;
  const version = await findWorkflowVersion(ctx, project_id, version_id);
  return {
    run: {
      project_id,
      id,
      workflow_id,
      version_id,
      environment_id,
      payload,
      tags,
      metadata,
      status: "running",
      moves: 1,
      decisions: 0,
      holds_slot: false,
    },
    version,
    isNew: true,
    steps: new Map(version.definition.steps.map(({ step_ref }) => [step_ref, newStep()])),
    outputs: new Map(),
    fresh: new Set(),
    decisions: [],
    effects: [],
    end: null,
    deferred: new Map(),
  };
}

function newStep(): StepInHand {
  return {
    id: newId(),
    status: "pending",
    was: "pending",
    generation: 1,
    error: null,
    cause: null,
    cause_ref: null,
    run_id: null,
    event_trigger_id: null,
    ended: null,
  };
}
