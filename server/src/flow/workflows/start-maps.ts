import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type LoadedRun, note, stepOf } from "./loaded-run.ts";
import { openMaps } from "./open-maps.ts";
import type { Asked } from "./plan-run.ts";
import { settleMap } from "./settle-map.ts";

/** Opens the map steps among those to be started. Returns the runs in which one ended at once: its list is empty. */
export async function startMaps(tx: Ctx & InTransaction, asked: readonly Asked[]): Promise<LoadedRun[]> {
  const maps = asked.flatMap(({ hand, start: { step_ref, rendered, reason } }) => {
    if (rendered.type !== "map") return [];
    const { generation } = stepOf(hand, step_ref);
    const { items, scope } = rendered;
    const map = { project_id: hand.run.project_id, workflow_run_id: hand.run.id, step_ref, generation, scope, items };
    return [{ hand, step_ref, reason, map }];
  });
  if (maps.length === 0) return [];
  const opened = await openMaps(
    tx,
    maps.map(({ map }) => map),
  );
  const over: LoadedRun[] = [];
  for (const [nth, { hand, step_ref, reason }] of maps.entries()) {
    const inHand = opened[nth];
    if (!inHand) throw new Error("a map was not opened");
    hand.maps.set(step_ref, inHand);
    stepOf(hand, step_ref).status = "running";
    note(hand, "start", step_ref, `${reason}; ${inHand.pending} of ${inHand.total} items are to be done`);
    if (await settleMap(tx, hand, step_ref)) over.push(hand);
  }
  return over;
}
