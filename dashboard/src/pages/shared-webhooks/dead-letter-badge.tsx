import { useLive } from "../../live/use-live.ts";
import { useThrottledRefetch } from "../shared-analytics/use-throttled-refetch.ts";
import { useFailedDeliveries } from "./use-failed-deliveries.ts";

/** Count of failed deliveries in the sidebar. */
export function DeadLetterBadge() {
  const { data, refetch } = useFailedDeliveries();
  const { plan } = useThrottledRefetch(() => void refetch());
  useLive(data ? ["webhook_deliveries"] : [], ({ object }) => object.status === "failed" && plan(), plan);
  if (!data || data.data.length === 0) return null;
  const count = data.has_more ? `${data.data.length}+` : data.data.length;
  return (
    <span title="Failed deliveries" className="rounded-full bg-bg px-1.5 text-ink-2 text-xs ring-1 ring-border">
      {count}
      <span className="sr-only"> failed</span>
    </span>
  );
}
