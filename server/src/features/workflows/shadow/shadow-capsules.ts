import type { RunCapsule } from "@millrace/contract/workflows/capsules";
import type { SleepStep, WorkflowDefinition } from "../../../flow/workflows/plan/definition.ts";
import type { RecordedStep } from "../../../flow/workflows/versions/recorded-run.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import type { Historic } from "./shadow-history.ts";

type Content = RunCapsule["content"];

/** Imported runs as history, in the order they were named. */
export async function readCapsules(ctx: ProjectCtx, ids: readonly string[]): Promise<Historic[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string; document: string }>`
    select c.id, c.document from run_capsules c
    where c.project_id = ${ctx.project_id} and c.id = any(${ids}::uuid[])
      and ${visible(ctx, "run_capsules", "c")}`.execute(ctx.db);
  return inSlices(parseCapsules(ids, new Map(rows.map(({ id, document }) => [id, document]))));
}

/** Each may have a megabyte, which takes tens of milliseconds. */
function* parseCapsules(ids: readonly string[], documents: ReadonlyMap<string, string>): Generator<void, Historic[]> {
  const history: Historic[] = [];
  for (const [index, id] of ids.entries()) {
    yield;
    const document = documents.get(id);
    if (document === undefined) throw invalid(`body.capsule_ids[${index}]`, "is not a capsule of this project", id);
    const { content } = JSON.parse(document) as RunCapsule;
    const hasEnded = content.run.finished_at !== null;
    if (!hasEnded) throw invalid(`body.capsule_ids[${index}]`, "belongs to a run that had not ended", id);
    history.push(capsuleHistory(id, content));
  }
  return history;
}

/** A capsule as the record of a run. Its content has only the shape of the schema. */
export function capsuleHistory(capsule_id: string, { version, run, steps, job_runs }: Content): Historic {
  const costs = new Map(job_runs.map(({ id, cost_microusd }) => [id, cost_microusd]));
  const start = Date.parse(run.started_at ?? run.created_at);
  // Some timestamps pass the schema but are no valid dates, such as a leap second.
  const since = (time: string | null) => (time === null ? null : Date.parse(time) - start || 0);
  const recorded = steps.map((step): [string, RecordedStep] => {
    const { type, status, error, cause, run_id, event_trigger_id } = step;
    const dispatched = run_id !== null || event_trigger_id !== null;
    const times = { started_ms: since(step.started_at), ended_ms: since(step.finished_at) };
    const cost_microusd = (run_id !== null && costs.get(run_id)) || 0;
    return [
      step.step_ref,
      { type, status, output: step.output ?? null, error, cause, dispatched, ...times, cost_microusd },
    ];
  });
  return {
    workflow_run_id: run.id,
    capsule_id,
    version: run.version,
    recorded: {
      definition: outline(version.steps),
      payload: run.payload ?? null,
      status: run.status,
      steps: new Map(recorded),
    },
  };
}

/**
 * A capsule's definition was not validated like a workflow's, so only the order and the sleeps of its steps are used.
 */
function outline(steps: Content["version"]["steps"]): WorkflowDefinition {
  return {
    steps: steps.map(
      ({ step_ref, depends_on, sleep_duration }): SleepStep => ({
        type: "sleep",
        step_ref,
        depends_on,
        on_failure: "continue",
        condition: null,
        sleep_duration: sleep_duration ?? "",
      }),
    ),
    timeout_secs: null,
    max_parallel_steps: null,
  };
}
