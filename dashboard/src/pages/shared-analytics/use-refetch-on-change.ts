import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLive } from "../../live/use-live.ts";
import { useThrottledRefetch } from "./use-throttled-refetch.ts";

/**
 * Refetches analytics after runs change, until the aggregates have caught up (`as_of`). Each pass refetches the next
 * of `sets`, so less urgent data is requested less often.
 */
export function useRefetchOnChange(
  isOn: boolean,
  sets: readonly (readonly string[])[],
  as_of: string | null | undefined,
  slide: () => void,
): void {
  const client = useQueryClient();
  const state = useRef({ last: "", nth: 0 });
  const { plan, hasToken } = useThrottledRefetch(() => {
    const paths = sets[state.current.nth++ % sets.length] ?? [];
    slide();
    void client.invalidateQueries({ predicate: ({ queryKey }) => paths.includes(String(queryKey[1])) });
  });
  useLive(
    isOn ? ["runs"] : [],
    ({ type, at }) => {
      if (type !== "run.status") return;
      state.current.last = at;
      plan();
    },
    plan,
  );
  const isBehind = as_of !== undefined && as_of !== null && state.current.last > as_of;
  useEffect(() => {
    if (isBehind && hasToken()) plan();
  });
}
