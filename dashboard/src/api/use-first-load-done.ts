import { useIsFetching } from "@tanstack/react-query";
import { useEffect, useState } from "react";

const QUIET_MS = 150;

/**
 * True once the initial requests of a page have settled. Secondary content loads after that, so it does not delay the
 * first view.
 */
export function useFirstLoadDone(): boolean {
  const open = useIsFetching();
  const [areThere, setThere] = useState(false);
  useEffect(() => {
    if (areThere || open > 0) return;
    const timer = setTimeout(() => setThere(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, [areThere, open]);
  return areThere;
}
