import { useParams } from "@tanstack/react-router";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Id } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { DeliveryDetail } from "./delivery-detail.tsx";

export default function WebhookDeliveryPage() {
  const { deliveryId = "" } = useParams({ strict: false }) as { deliveryId?: string };
  const { at } = usePlace();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader
        lead={
          <Link href={at("webhook-deliveries")} className="text-ink-2 hover:text-ink hover:underline">
            Webhook deliveries
          </Link>
        }
        title="Delivery"
        count={<Id value={deliveryId} head={8} tail={8} />}
        actions={
          <AsCode
            about="Webhook delivery"
            code={codeOf({ method: "GET", path: `/v1/webhook-deliveries/${deliveryId}` })}
          />
        }
      />
      <PageBody>
        <div className="max-w-[960px]">
          <DeliveryDetail id={deliveryId} />
        </div>
      </PageBody>
    </div>
  );
}
