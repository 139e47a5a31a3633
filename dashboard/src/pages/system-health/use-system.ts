import type { System } from "@millrace/contract/system";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";

const EVERY_MS = 30_000;

/** The service as it is, read twice a minute while the page is open: nothing of it is told by the stream. */
export function useSystem(isOn: boolean) {
  return useQuery({
    queryKey: ["system"],
    queryFn: ({ signal }) => call<System>("GET", "/v1/system", { signal }),
    enabled: isOn,
    refetchInterval: EVERY_MS,
    retry: false,
  });
}
