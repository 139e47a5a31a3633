import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { MapStep, StepError } from "../plan/definition.ts";
import { MAX_OUTPUT_BYTES } from "../progress/apply-results.ts";
import { completeStep, failStep, type LoadedMap, type LoadedRun } from "../progress/loaded-run.ts";
import { cancelItems } from "./cancel-items.ts";

/**
 * Ends a map step that is finished: completed when no item is left, failed when more items have failed than allowed.
 * Then the others are not started, and running ones are canceled. True: it has ended.
 */
export async function settleMap(tx: Ctx & InTransaction, loaded: LoadedRun, step_ref: string): Promise<boolean> {
  const step = loaded.version.byRef.get(step_ref) as MapStep;
  const map = loaded.maps.get(step_ref) as LoadedMap;
  if (map.failed > maxFailures(step)) {
    const error = await describeFailure(tx, loaded, step_ref);
    await cancelItems(tx, [{ ...keyOf(loaded, step_ref), reason: error.message, keeps: false }]);
    failStep(loaded, step_ref, error);
    return true;
  }
  if (map.pending + map.running > 0) return false;
  await complete(tx, loaded, step_ref, map);
  return true;
}

function maxFailures({ tolerate_failures }: MapStep): number {
  if (typeof tolerate_failures === "number") return tolerate_failures;
  return tolerate_failures ? Number.POSITIVE_INFINITY : 0;
}

async function complete(tx: Ctx & InTransaction, loaded: LoadedRun, step_ref: string, map: LoadedMap): Promise<void> {
  const { project_id, workflow_run_id } = keyOf(loaded, step_ref);
  // Measured first: an output that is far too large could not even be assembled.
  const { rows: measured } = await sql<{ bytes: number }>`
    select coalesce(sum(octet_length(output::text) + 1), 0)::float8 as bytes
    from map_items
    where project_id = ${project_id} and workflow_run_id = ${workflow_run_id} and step_ref = ${step_ref}`.execute(
    tx.db,
  );
  const bytes = measured[0]?.bytes ?? 0;
  if (bytes > MAX_OUTPUT_BYTES) {
    const message = `The outputs of its items total ${bytes} bytes; at most ${MAX_OUTPUT_BYTES} are allowed.`;
    failStep(loaded, step_ref, { code: "output_too_large", message });
    return;
  }
  const { rows } = await sql<{ output: unknown }>`
    select coalesce(jsonb_agg(output order by item_index), '[]') as output
    from map_items
    where project_id = ${project_id} and workflow_run_id = ${workflow_run_id} and step_ref = ${step_ref}`.execute(
    tx.db,
  );
  const { output = [] } = rows[0] ?? {};
  const failed = map.failed > 0 ? `, ${map.failed} of them failed` : "";
  completeStep(loaded, step_ref, output, `all of its ${map.total} items have ended${failed}`);
}

async function describeFailure(tx: Ctx & InTransaction, loaded: LoadedRun, step_ref: string): Promise<StepError> {
  const { project_id, workflow_run_id } = keyOf(loaded, step_ref);
  const { rows } = await sql<{ item_index: number; error: StepError }>`
    select item_index, error from map_items
    where project_id = ${project_id} and workflow_run_id = ${workflow_run_id} and step_ref = ${step_ref}
      and status = 'failed'
    order by item_index limit 1`.execute(tx.db);
  const { failed, total } = loaded.maps.get(step_ref) as LoadedMap;
  const [first] = rows;
  const why = first ? `, first ${step_ref}[${first.item_index}]: ${first.error.code}: ${first.error.message}` : "";
  return { code: "items_failed", message: `${failed} of ${total} items failed${why}` };
}

function keyOf({ run }: LoadedRun, step_ref: string) {
  return { project_id: run.project_id, workflow_run_id: run.id, step_ref };
}
