import type { System } from "@millrace/contract/service/system";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";

const EVERY_MS = 30_000;

/** System state, polled twice a minute while open, because the stream does not include it. */
export function useSystem(isOn: boolean) {
  return useQuery({
    queryKey: ["system"],
    queryFn: ({ signal }) => call<System>("GET", "/v1/system", { signal }),
    enabled: isOn,
    refetchInterval: EVERY_MS,
    retry: false,
  });
}
