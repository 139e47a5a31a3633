import type { Readiness } from "@millrace/contract/service/health";
import { useQuery } from "@tanstack/react-query";
import { useLiveState } from "../live/use-live.ts";

/** Readiness of the responding instance. A 503 also carries the checks, so it is not an error. */
export function useReadiness() {
  const isBroken = useLiveState() === "offline"; // a reason to refetch, unlike a stream that opens
  return useQuery({
    queryKey: ["readiness", isBroken],
    queryFn: async ({ signal }): Promise<Readiness> => {
      const response = await fetch("/health/ready", { signal });
      return (await response.json()) as Readiness;
    },
    placeholderData: (before) => before,
    // The stream stays open while the database is down, but reports nothing.
    refetchInterval: ({ state: { data, error } }) => (error || data?.ready === false ? 10_000 : 20_000),
    retry: false,
  });
}
