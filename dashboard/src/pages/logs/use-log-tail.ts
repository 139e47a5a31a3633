import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLive } from "../../live/use-live.ts";

/** A run that changes has usually logged something. Lines of other runs arrive with the slow interval. */
const [AFTER_CHANGE_MS, IDLE_MS] = [1_000, 12_000];

/** Reads the newest lines again while runs change, and every few seconds otherwise. */
export function useLogTail(isOn: boolean): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const read = () => {
    timer.current = undefined;
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === "/v1/logs" });
  };
  const soon = () => {
    timer.current ??= setTimeout(read, AFTER_CHANGE_MS);
  };
  useLive(isOn ? ["runs"] : [], soon, soon);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the interval restarts only when tailing is switched
  useEffect(() => {
    if (!isOn) return;
    const interval = setInterval(read, IDLE_MS);
    return () => {
      clearInterval(interval);
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [isOn]);
}
