import type { Change, History } from "../history.ts";

/**
 * Consumers see each transition and decision once, and those of one run or workflow run in their order. What is still in
 * the inbox has no position yet, and comes last.
 */
export function changesAreLogged({ transitions, decisions, changes }: History): string[] {
  return [
    ...compare(
      "transition",
      transitions.map(({ run_id, ordinal }) => `${run_id} ${ordinal}`),
      changes.filter(({ kind }) => kind === "run"),
    ),
    ...compare(
      "decision",
      decisions.map(({ workflow_run_id, ordinal }) => `${workflow_run_id} ${ordinal}`),
      changes.filter(({ kind }) => kind === "workflow_run"),
    ),
  ];
}

function compare(what: string, rows: string[], changes: Change[]): string[] {
  const logged = changes.map(({ id, ordinal }) => `${id} ${ordinal}`);
  const found = new Set(logged);
  const last = new Map<string, Change>();
  const late = changes.filter((change) => {
    const before = last.get(change.id);
    last.set(change.id, change);
    return before !== undefined && before.position !== change.position && before.ordinal > change.ordinal;
  });
  return [
    ...rows.filter((row) => !found.has(row)).map((row) => `the ${what} ${row} is not in the changelog`),
    ...logged.filter((row, nth) => logged.indexOf(row) !== nth).map((row) => `the ${what} ${row} is logged twice`),
    ...late.map(({ id, ordinal }) => `the ${what} ${id} ${ordinal} comes after a later one`),
  ];
}
