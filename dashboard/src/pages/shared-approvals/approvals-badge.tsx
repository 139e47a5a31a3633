import type { Approval } from "@millrace/contract/workflows/approvals";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { useFirstLoadDone } from "../../api/use-first-load-done.ts";
import { useLive } from "../../live/use-live.ts";
import { usePlace } from "../../shell/place/place.ts";
import { useThrottledRefetch } from "../shared-analytics/use-throttled-refetch.ts";

/** The number of approvals that wait for the caller, in the sidebar. */
export function ApprovalsBadge() {
  const { environmentFilter } = usePlace();
  const isTime = useFirstLoadDone();
  const mayRead = useMay("workflows:read");
  const query = { mine: true, limit: 100, environment_id: environmentFilter };
  const { data, refetch } = useApi<Page<Approval>>("/v1/approvals", query, mayRead && isTime);
  const { plan } = useThrottledRefetch(() => void refetch());
  const mayFollow = useMay("events:read") && mayRead;
  // Followed from the start, with what the page follows: what is not yet read is not read again.
  const change = () => isTime && plan();
  useLive(mayFollow ? ["events"] : [], ({ object }) => object.wait_kind === "approval" && change(), change);
  if (!data || data.data.length === 0) return null;
  return (
    <span title="Waiting for your approval" className="rounded-full bg-bg px-1.5 text-ink-2 text-xs ring-1 ring-border">
      {data.has_more ? `${data.data.length}+` : data.data.length}
      <span className="sr-only"> waiting for your approval</span>
    </span>
  );
}
