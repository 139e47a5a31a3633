import { useApi } from "../api/use-api.ts";
import { useSearchParams } from "./place/place.ts";

/**
 * The row shown in the side panel, kept in the URL without history entries. `path`: where to read a row that is not
 * loaded, for old URLs.
 */
export function usePeek<Row extends { id: string }>(rows: readonly Row[] | undefined, path?: string) {
  const [{ peek }, change] = useSearchParams();
  const look = (id: string | undefined) => change({ peek: id }, { replace: true });
  const among = peek === undefined ? undefined : rows?.find(({ id }) => id === peek);
  const isElsewhere = peek !== undefined && rows !== undefined && among === undefined && path !== undefined;
  const { data } = useApi<Row>(`${path}/${encodeURIComponent(peek ?? "")}`, {}, isElsewhere);
  return {
    peek,
    peeked: among ?? (isElsewhere ? data : undefined),
    look: (row: Row) => look(row.id),
    toggle: (row: Row) => look(row.id === peek ? undefined : row.id),
    close: () => look(undefined),
  };
}
