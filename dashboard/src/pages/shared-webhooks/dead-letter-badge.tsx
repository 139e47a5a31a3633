import { useMay } from "../../api/me.ts";
import { useLive } from "../../live/use-live.ts";
import { useThrottledRefetch } from "../shared-analytics/use-throttled-refetch.ts";
import { useFailedDeliveries } from "./use-failed-deliveries.ts";

/** Count of failed deliveries in the sidebar. */
export function DeadLetterBadge() {
  const { data, refetch } = useFailedDeliveries();
  const { plan } = useThrottledRefetch(() => void refetch(), 1);
  // Followed from the start, with what the page follows: what is not yet read is not read again.
  const change = () => data && plan();
  useLive(
    useMay("webhooks:read") ? ["webhook_deliveries"] : [],
    ({ object }) => object.status === "failed" && change(),
    change,
  );
  if (!data || data.data.length === 0) return null;
  const count = data.has_more ? `${data.data.length}+` : data.data.length;
  return (
    <span title="Failed deliveries" className="rounded-full bg-bg px-1.5 text-ink-2 text-xs ring-1 ring-border">
      {count}
      <span className="sr-only"> failed</span>
    </span>
  );
}
