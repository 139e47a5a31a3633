/** A workflow run that a step has started and that is blocked on a slot. `above`: its ancestors that hold one. */
export type SlotWait = { id: string; workflow_id: string; root_id: string; above: string[] };

/** The slots of a workflow and their holders. `max` null: it is no longer limited. */
export type SlotBound = { workflow_id: string; max: number | null; holders: string[] };

/**
 * Of the waits that will never end, the one with the newest chain; undefined: there are none. A run ends no sooner than
 * all its descendants, so a workflow is stuck if its slots are taken and each holder is an ancestor of a run that waits
 * for a stuck workflow. Found by eliminating all others.
 */
export function findDeadlocked(waits: readonly SlotWait[], bounds: readonly SlotBound[]): SlotWait | undefined {
  const full = bounds.filter(({ max, holders }) => max !== null && holders.length > 0 && holders.length >= max);
  const stuck = leaveStuck(waits, full);
  const holders = new Set(stuck.flatMap((bound) => bound.holders));
  const names = new Set(stuck.map(({ workflow_id }) => workflow_id));
  const deadlocked = waits.filter((wait) => names.has(wait.workflow_id) && wait.above.some((id) => holders.has(id)));
  return deadlocked.toSorted(byBeginning).at(-1);
}

function leaveStuck(waits: readonly SlotWait[], bounds: readonly SlotBound[]): readonly SlotBound[] {
  const names = new Set(bounds.map(({ workflow_id }) => workflow_id));
  const blocked = new Set(waits.flatMap((wait) => (names.has(wait.workflow_id) ? wait.above : [])));
  const left = bounds.filter(({ holders }) => holders.every((id) => blocked.has(id)));
  return left.length === bounds.length ? left : leaveStuck(waits, left);
}

/** Ids rise with time. */
function byBeginning(a: SlotWait, b: SlotWait): number {
  if (a.root_id !== b.root_id) return a.root_id < b.root_id ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
