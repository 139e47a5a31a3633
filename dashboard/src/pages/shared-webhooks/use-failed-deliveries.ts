import type { WebhookDelivery } from "@millrace/contract/deliveries/webhook-deliveries";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { useFirstLoadDone } from "../../api/use-first-load-done.ts";
import { usePlace } from "../../shell/place/place.ts";

/** Failed deliveries of the environment. The sidebar badge and Home share the request. */
export function useFailedDeliveries() {
  const { environmentFilter: environment_id } = usePlace();
  const isTime = useFirstLoadDone();
  const isOn = useMay("webhooks:read") && isTime;
  return useApi<Page<WebhookDelivery>>(
    "/v1/webhook-deliveries",
    { status: "failed", limit: 100, environment_id },
    isOn,
  );
}
