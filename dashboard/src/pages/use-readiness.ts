import type { Readiness } from "@millrace/contract/health";
import { useQuery } from "@tanstack/react-query";
import { useLiveState } from "../live/use-live.ts";

/** The checks of the instance that answers. A 503 brings them too, so it is no error. */
export function useReadiness() {
  const isBroken = useLiveState() === "offline"; // a reason to ask again, which a stream that opens is not
  return useQuery({
    queryKey: ["readiness", isBroken],
    queryFn: async ({ signal }): Promise<Readiness> => {
      const response = await fetch("/health/ready", { signal });
      return (await response.json()) as Readiness;
    },
    placeholderData: (before) => before,
    // The stream stays open while the database is away, and can tell nothing then.
    refetchInterval: ({ state: { data, error } }) => (error || data?.ready === false ? 10_000 : 20_000),
    retry: false,
  });
}
