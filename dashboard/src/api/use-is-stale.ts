import { useIsFetching } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLatest } from "../parts/use-latest.ts";

/** True while queries under this path still show data of another time range. */
export function useIsStale(time: string, path: string): boolean {
  const isOpen =
    useIsFetching({
      predicate: ({ queryKey, state }) => state.data === undefined && String(queryKey[1]).startsWith(path),
    }) > 0;
  const [shown, setShown] = useState(time);
  const latest = useLatest(time);
  useEffect(() => (isOpen ? () => setShown(latest.current) : undefined), [isOpen, latest]);
  return isOpen && shown !== time;
}
