import { useIsFetching } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLatest } from "../parts/use-latest.ts";

/** Whether what is in sight of the paths under this one is of another time than is asked for, and that is on its way. */
export function useIsOld(time: string, path: string): boolean {
  const isOpen =
    useIsFetching({
      predicate: ({ queryKey, state }) => state.data === undefined && String(queryKey[1]).startsWith(path),
    }) > 0;
  const [shown, setShown] = useState(time);
  const latest = useLatest(time);
  useEffect(() => (isOpen ? () => setShown(latest.current) : undefined), [isOpen, latest]);
  return isOpen && shown !== time;
}
