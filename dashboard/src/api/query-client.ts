import { QueryCache, QueryClient } from "@tanstack/react-query";
import { formatDuration } from "../parts/format.ts";
import { toast } from "../parts/overlay/toasts.tsx";
import { asProblem } from "./problem.ts";

const MAX_RETRIES = 2;

/**
 * Cached data stays visible during a refetch and after a failed one. A GET that is
 * answered with 429 is retried, and a toast says when. Nothing is polled, because the stream reports changes.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => notifyWhenLimited(error) }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      retry: (failures, error) => isWorthRetrying(error) && failures < MAX_RETRIES,
      retryDelay: (failures, error) => waitFor(error) ?? 500 * 2 ** failures,
      throwOnError: false,
    },
    mutations: { retry: false },
  },
});

function isWorthRetrying(error: unknown): boolean {
  const { status } = asProblem(error);
  if (status === 429) notifyWhenLimited(error);
  return status === 0 || status === 429 || status === 503;
}

function waitFor(error: unknown): number | undefined {
  const { retry_at } = asProblem(error);
  return retry_at === undefined ? undefined : Math.max(250, retry_at - Date.now());
}

function notifyWhenLimited(error: unknown): void {
  const { status, retry_at } = asProblem(error);
  if (status !== 429 || retry_at === undefined) return;
  const wait = formatDuration(Math.ceil((retry_at - Date.now()) / 1_000) * 1_000);
  toast({
    key: "limited",
    tone: "warn",
    title: "Too many requests",
    detail: `Retrying in ${wait}.`,
    lastsMs: retry_at - Date.now(),
  });
}
