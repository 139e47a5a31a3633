import type { Ctx, InTransaction } from "../../../platform/context.ts";
import type { PlannedStart } from "../plan/plan-run.ts";
import { type LoadedRun, note, stepOf } from "../progress/loaded-run.ts";
import { openMaps } from "./open-maps.ts";
import { settleMap } from "./settle-map.ts";

/** Opens the map steps among those to be started. Returns the runs in which one ended at once: its list is empty. */
export async function startMaps(tx: Ctx & InTransaction, planned: readonly PlannedStart[]): Promise<LoadedRun[]> {
  const maps = planned.flatMap(({ loaded, start: { step_ref, rendered, reason } }) => {
    if (rendered.type !== "map") return [];
    const { generation } = stepOf(loaded, step_ref);
    const { items, scope } = rendered;
    const map = {
      project_id: loaded.run.project_id,
      workflow_run_id: loaded.run.id,
      step_ref,
      generation,
      scope,
      items,
    };
    return [{ loaded, step_ref, reason, map }];
  });
  if (maps.length === 0) return [];
  const opened = await openMaps(
    tx,
    maps.map(({ map }) => map),
  );
  const over: LoadedRun[] = [];
  for (const [nth, { loaded, step_ref, reason }] of maps.entries()) {
    const map = opened[nth];
    if (!map) throw new Error("a map was not opened");
    loaded.maps.set(step_ref, map);
    stepOf(loaded, step_ref).status = "running";
    note(loaded, "start", step_ref, `${reason}; ${map.pending} of ${map.total} items are pending`);
    if (await settleMap(tx, loaded, step_ref)) over.push(loaded);
  }
  return over;
}
