import { useIsFetching } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { usePageLoading } from "./page-loading.ts";

const QUIET_MS = 150;

/**
 * True once the initial requests of a page have settled. Secondary content loads after that, so it does not delay the
 * first view.
 */
export function useFirstLoadDone(): boolean {
  const open = useIsFetching();
  const isLoading = usePageLoading();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (isDone || isLoading || open > 0) return;
    const timer = setTimeout(() => setDone(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, [isDone, isLoading, open]);
  return isDone;
}
