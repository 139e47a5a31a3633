import type { WebhookDelivery } from "@millrace/contract/deliveries/webhook-deliveries";
import { Id } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { Countdown } from "../../parts/state/countdown.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";

const NONE = <span className="text-ink-3">–</span>;

export function deliveryColumns(href: (delivery: WebhookDelivery) => string): Column<WebhookDelivery>[] {
  return [
    {
      id: "status",
      header: "Status",
      width: "132px",
      narrow: "meta",
      cell: (delivery) => <DeliveryStatus delivery={delivery} />,
    },
    {
      id: "event",
      header: "Event",
      width: "minmax(190px, 0.8fr)",
      narrow: "title",
      cell: (delivery) => (
        <Link
          href={href(delivery)}
          tabIndex={-1}
          className="block truncate font-medium hover:text-accent hover:underline"
        >
          {delivery.event_type}
        </Link>
      ),
    },
    {
      id: "endpoint",
      header: "Receiver",
      width: "minmax(140px, 1.4fr)",
      narrow: "meta",
      cell: ({ url }) => (
        <span className="block truncate font-mono text-ink-2 text-xs" title={url}>
          {url.replace(/^https?:\/\//, "")}
        </span>
      ),
    },
    {
      id: "id",
      header: "Delivery",
      width: "124px",
      hidePriority: 2,
      cell: ({ id }) => <Id value={id} className="text-ink-2" />,
    },
    {
      id: "attempts",
      header: "Attempts",
      width: "80px",
      align: "end",
      cell: ({ attempts, max_attempts }) => (
        <span className="font-mono text-xs">
          {attempts}/{max_attempts}
        </span>
      ),
    },
    {
      id: "code",
      header: "Response",
      width: "76px",
      hidePriority: 1,
      align: "end",
      cell: ({ last_status_code }) =>
        last_status_code ? <span className="font-mono text-xs">{last_status_code}</span> : NONE,
    },
    {
      id: "next",
      header: "Next attempt",
      width: "92px",
      align: "end",
      cell: ({ status, next_attempt_at }) =>
        status === "pending" && next_attempt_at ? <Countdown until={next_attempt_at} /> : NONE,
    },
    {
      id: "created",
      header: "Created",
      width: "92px",
      align: "end",
      narrow: "end",
      cell: ({ created_at }) => <Time at={created_at} className="text-ink-2" />,
    },
  ];
}

/** Failed deliveries are dead-lettered; pending ones with a failed attempt are retrying. */
export function DeliveryStatus({ delivery: { status, attempts }, as }: { delivery: WebhookDelivery; as?: "badge" }) {
  const shown = status === "failed" ? "dead_lettered" : status === "pending" && attempts > 0 ? "retrying" : status;
  return <StatusMark status={shown} {...(as && { as })} />;
}
