import { useIsFetching } from "@tanstack/react-query";
import { useEffect, useState } from "react";

const QUIET_MS = 150;

/**
 * Whether what a page shows first has been answered. What stands beside it is asked for after that, so that the first
 * view waits for nothing that it does not need.
 */
export function useFirstAnswers(): boolean {
  const open = useIsFetching();
  const [areThere, setThere] = useState(false);
  useEffect(() => {
    if (areThere || open > 0) return;
    const timer = setTimeout(() => setThere(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, [areThere, open]);
  return areThere;
}
