import { useSearchParams } from "./place.ts";

/** The row that is looked at in the panel beside a list. The address holds it, and leaves no step in the history. */
export function usePeek<Row extends { id: string }>(rows: readonly Row[] | undefined) {
  const [{ peek }, change] = useSearchParams();
  const look = (id: string | undefined) => change({ peek: id }, { replace: true });
  return {
    peek,
    looked: peek === undefined ? undefined : rows?.find(({ id }) => id === peek),
    look: (row: Row) => look(row.id),
    toggle: (row: Row) => look(row.id === peek ? undefined : row.id),
    close: () => look(undefined),
  };
}
