import type { WebhookDelivery } from "@millrace/contract/deliveries/webhook-deliveries";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { useFirstLoadDone } from "../../api/use-first-load-done.ts";
import { FAILED_DELIVERIES } from "./failed-deliveries.ts";

/** Count of failed deliveries in the sidebar. */
export function DeadLetterBadge() {
  const isTime = useFirstLoadDone();
  const isOn = useMay("webhooks:read") && isTime;
  const { data } = useApi<Page<WebhookDelivery>>("/v1/webhook-deliveries", FAILED_DELIVERIES, isOn);
  if (!data || data.data.length === 0) return null;
  const count = data.has_more ? `${data.data.length}+` : data.data.length;
  return (
    <span title="Failed deliveries" className="rounded-full bg-bg px-1.5 text-ink-2 text-xs ring-1 ring-border">
      {count}
      <span className="sr-only"> failed</span>
    </span>
  );
}
