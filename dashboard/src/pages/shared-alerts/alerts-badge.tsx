import type { Alert } from "@millrace/contract/alerts/alerts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "../../api/call.ts";
import { useMay } from "../../api/me.ts";
import { apiKey, type Page } from "../../api/use-api.ts";
import { useFirstLoadDone } from "../../api/use-first-load-done.ts";
import { usePlace } from "../../shell/place/place.ts";

const PATH = "/v1/alerts";
const FIRING = { status: "firing", limit: 100 };
/** The stream does not include alerts. */
const EVERY_MS = 60_000;

/** Count of firing alerts in the sidebar. */
export function AlertsBadge() {
  const { project } = usePlace();
  const isTime = useFirstLoadDone();
  const isOn = useMay("alerts:read") && isTime;
  const { data } = useQuery({
    queryKey: apiKey(project, PATH, FIRING),
    queryFn: ({ signal }) => call<Page<Alert>>("GET", PATH, { query: FIRING, project, signal }),
    enabled: isOn,
    refetchInterval: EVERY_MS,
  });
  useRefreshLists(data && JSON.stringify(data.data.map(({ id }) => id)));
  if (!data || data.data.length === 0) return null;
  return (
    <span
      title="Firing alerts"
      className="rounded-full bg-bg px-1.5 text-failed-ink text-xs ring-1 ring-failed tabular-nums"
    >
      {data.has_more ? `${data.data.length}+` : data.data.length}
      <span className="sr-only"> firing</span>
    </span>
  );
}

/** Open lists of alerts and rules show the same as the badge. */
function useRefreshLists(firing: string | undefined): void {
  const client = useQueryClient();
  const before = useRef(firing);
  useEffect(() => {
    const hasChanged = before.current !== undefined && firing !== undefined && before.current !== firing;
    before.current = firing;
    if (!hasChanged) return;
    void client.invalidateQueries({
      predicate: ({ queryKey }) => queryKey.at(-1) === "list" && /^\/v1\/alert(s|-rules)$/.test(String(queryKey[1])),
    });
  }, [client, firing]);
}
