import type { Endpoint } from "@millrace/contract/jobs/endpoints";
import { useMemo } from "react";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { useFirstLoadDone } from "../../api/use-first-load-done.ts";

/** Since when each host cannot be reached. `isOn`: a shown run may be waiting for its host. */
export function useDownHosts(isOn = true): ReadonlyMap<string, string> {
  const isReady = useFirstLoadDone();
  const isAllowed = useMay("jobs:read");
  const { data } = useApi<Page<Endpoint>>(
    "/v1/endpoints",
    { state: "unreachable", limit: 100 },
    isOn && isReady && isAllowed,
  );
  return useMemo(
    () =>
      new Map(data?.data.flatMap(({ host, down_since }) => (down_since === null ? [] : [[host, down_since] as const]))),
    [data],
  );
}
