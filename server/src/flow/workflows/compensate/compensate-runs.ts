import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { triggerWithin } from "../../runs/create/trigger-runs.ts";
import { findTriggerableJob } from "../../runs/create/triggerable-job.ts";
import { noteCompletedItems } from "../map/completed-items.ts";
import { type LoadedRun, type LoadedStep, note, stepOf } from "../progress/loaded-run.ts";
import { completionOf } from "./compensate-input.ts";
import { planCompensation } from "./compensate-plan.ts";
import { type PreparedCompensation, prepareCompensation } from "./compensate-prepare.ts";

/**
 * Advances compensating workflow runs as far as they go: records the result of the last compensation, and starts the
 * next. The loaded runs hold the changes still to be written.
 */
export async function compensateRuns(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  for (const loaded of loadedRuns) {
    for (const [step_ref, step] of loaded.steps) {
      if (step.status === "completed" && step.was !== "completed") step.completion = completionOf(loaded, step_ref);
      applyCompensation(loaded, step_ref, step);
    }
  }
  await noteCompletedItems(tx, loadedRuns);
  for (let open = loadedRuns; open.length > 0; ) open = await startNext(tx, open);
}

function applyCompensation(loaded: LoadedRun, step_ref: string, { compensation, ended }: LoadedStep): void {
  if (compensation?.status !== "running" || !ended) return;
  if (ended.status === "completed") {
    compensation.status = "completed";
    note(loaded, "compensate", step_ref, "its compensation completed");
    return;
  }
  const message = ended.error?.message ?? `The run of the compensation ended as ${ended.status}.`;
  const code = ended.status === "canceled" ? "run_canceled" : (ended.error?.code ?? ended.status);
  compensation.status = "failed";
  compensation.error = { code, message };
  note(loaded, "compensate", step_ref, `its compensation ended as ${ended.status}: ${message}`);
}

/** Returns those to be planned again: the compensation was refused, or its job has changed since it was prepared. */
async function startNext(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<readonly LoadedRun[]> {
  const again: LoadedRun[] = [];
  const prepared: PreparedCompensation[] = [];
  for (const loaded of loadedRuns) {
    const plan = planCompensation(loaded.version.definition, loaded.steps);
    if (plan.kind !== "start") continue;
    const next = await prepareCompensation(tx, loaded, plan);
    if ("run" in next) prepared.push(next);
    else {
      refuse(loaded, plan.step_ref, next.error);
      again.push(loaded);
    }
  }
  return [...again, ...(await createAll(tx, prepared))];
}

function refuse(loaded: LoadedRun, step_ref: string, error: { code: string; message: string }): void {
  stepOf(loaded, step_ref).compensation = { status: "failed", run_id: null, error, was: null };
  note(loaded, "compensate", step_ref, `its compensation cannot be started: ${error.message}`);
}

/** A compensation that exceeds the budget is created blocked. */
async function createAll(tx: Ctx & InTransaction, prepared: readonly PreparedCompensation[]): Promise<LoadedRun[]> {
  if (prepared.length === 0) return [];
  const runs = prepared.map(({ run }) => run);
  const results = await triggerWithin(tx, runs, "block");
  const stale: LoadedRun[] = [];
  for (const [nth, { loaded, step_ref, run }] of prepared.entries()) {
    const { kind } = results[nth] ?? { kind: "stale" };
    if (kind === "stale") {
      await findTriggerableJob(tx, run.project_id, run.job_id); // the cached job is older than the one that refused
      stale.push(loaded);
    }
    if (kind !== "created") continue;
    stepOf(loaded, step_ref).compensation = { status: "running", run_id: run.id, error: null, was: null };
    note(loaded, "compensate", step_ref, "its compensation is started");
  }
  return stale;
}
