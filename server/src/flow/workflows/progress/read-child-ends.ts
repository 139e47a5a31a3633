import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import type { StepError } from "../plan/graph-types.ts";
import { childOutput, LARGEST_OUTPUT_BYTES } from "./child-output.ts";
import type { LoadedRun, LoadedStep } from "./loaded-run.ts";

type EndedChild = { id: string; status: "completed" | "failed" | "timed_out" | "canceled"; error: StepError | null };
type Row = EndedChild & { output: unknown; is_too_large: boolean };

/**
 * Loads the results of the workflow runs that steps have started, skipping older generations. The outbox entries of
 * their ends are acknowledged. Both are found by key alone: a plan that was prepared while few had ended would read all
 * that ever did.
 */
export async function readChildEnds(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  const waiting = new Map(loadedRuns.flatMap(runningChildren));
  if (waiting.size === 0) return;
  const given = [...waiting].map(([id, { project_id, parent_id }]) => ({ project_id, parent_id, id }));
  const { rows } = await sql<Row>`
    /* prepared */
    with ended as materialized (
      select c.project_id, g.parent_id, c.id, c.status, c.error, coalesce(o.is_too_large, false) as is_too_large,
        case when not o.is_too_large then o.output end as output
      from json_to_recordset(${JSON.stringify(given)}::json) as g(project_id uuid, parent_id text, id uuid)
      cross join lateral (
        select c.* from workflow_runs c where c.project_id = g.project_id and c.id = g.id offset 0
      ) c
      cross join lateral (
        select o.output, octet_length(o.output::text) > ${LARGEST_OUTPUT_BYTES} as is_too_large
        from (select case when c.status = 'completed' then ${childOutput()} end as output) o
      ) o
      where c.finished_at is not null and ${fewRows("g.parent_id")}
    ),
    acked as (
      delete from outbox f using ended e
      where f.project_id = e.project_id and f.transition_id = e.id::text and f.kind || '' = 'child_workflow_ended'
        and f.target_id = e.parent_id and ${fewRows("e.parent_id")}
    )
    select id, status, error, is_too_large, output from ended`.execute(tx.db);
  for (const { output, is_too_large, ...child } of rows) {
    const { step } = waiting.get(child.id) ?? {};
    if (step) step.ended = is_too_large ? tooLarge(child) : endOf(child, output);
  }
}

type Waiting = { project_id: string; parent_id: string; step: LoadedStep };

function runningChildren({ run, steps }: LoadedRun): [string, Waiting][] {
  return [...steps.values()].flatMap((step) => {
    if (step.status !== "running" || step.child_workflow_run_id === null) return [];
    return [[step.child_workflow_run_id, { project_id: run.project_id, parent_id: run.id, step }]];
  });
}

function endOf({ id, status, error }: EndedChild, result: unknown): LoadedStep["ended"] {
  if (status === "completed") return { status, result, error: null };
  return { status, result: null, error: childError(id, status, error) };
}

function tooLarge({ id }: EndedChild): LoadedStep["ended"] {
  const message = `The output of the workflow run ${id} is larger than ${LARGEST_OUTPUT_BYTES} bytes.`;
  return { status: "failed", result: null, error: { code: "output_too_large", message } };
}

function childError(id: string, status: string, error: StepError | null): StepError {
  const why = error ? `: ${error.message}` : ".";
  const code = error?.code === "workflow_deadlock" ? error.code : `child_${status}`;
  return { code, message: `The workflow run ${id} ended as ${status}${why}` };
}
