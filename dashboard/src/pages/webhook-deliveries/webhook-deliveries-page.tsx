import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { WebhookDelivery } from "@millrace/contract/deliveries/webhook-deliveries";
import { useRouter } from "@tanstack/react-router";
import { Webhook } from "lucide-react";
import { useCallback, useMemo } from "react";
import { withQuery } from "../../api/call.ts";
import { useApiList } from "../../api/use-api.ts";
import { useLiveRows } from "../../live/use-live-rows.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { boundsOf, TimeRange } from "../../parts/filter/time-range.tsx";
import { Button } from "../../parts/form/button.tsx";
import { Link } from "../../parts/link.tsx";
import { Inspector } from "../../parts/overlay/inspector.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { useIsHere } from "../../shell/place/use-places.ts";
import { usePeek } from "../../shell/use-peek.ts";
import { codeOf, shellQuoted } from "../code-of.ts";
import { deliveryColumns } from "./delivery-columns.tsx";
import { DeliveryDetail } from "./delivery-detail.tsx";
import { EndpointHealth } from "./endpoint-health.tsx";
import { RetryMatching } from "./retry-matching.tsx";

const STATUSES = [
  { id: "", label: "All" },
  { id: "pending", label: "Pending" },
  { id: "delivered", label: "Delivered" },
  { id: "failed", label: "Dead letter" },
];

const NARROWING = ["host", "event_type", "subscription_id"] as const;

/** Webhook deliveries with their responses and failures. */
export default function WebhookDeliveriesPage() {
  const [search, change] = useSearchParams();
  const { status } = search;
  const { at } = usePlace();
  const { history } = useRouter();
  const narrowing = useNarrowing(search);
  const query = useMemo(() => ({ ...(status && { status }), ...narrowing }), [status, narrowing]);
  const list = useDeliveries(query);
  const { peek, peeked, toggle, close } = usePeek(list.rows, "/v1/webhook-deliveries");
  const href = useCallback((delivery: WebhookDelivery) => at(`webhook-deliveries/${delivery.id}`), [at]);
  const columns = useMemo(() => deliveryColumns(href), [href]);
  const failed = list.rows?.filter((each) => each.status === "failed").length;
  return (
    <ListPage
      title="Webhook deliveries"
      label="Webhook deliveries"
      actions={
        <>
          <RetryMatching filter={narrowing} failed={failed} />
          <AsCode
            about="Webhook deliveries"
            code={codeOf({ method: "GET", path: withQuery("/v1/webhook-deliveries", query) })}
          />
        </>
      }
      figures={<EndpointHealth onPick={(host) => change({ host })} />}
      toolbar={<Toolbar />}
      list={list}
      columns={columns}
      current={peek}
      onPeek={toggle}
      onOpen={(delivery) => history.push(href(delivery))}
      empty={<NoDeliveries isFiltered={Object.keys(query).some((name) => name !== "environment_id")} />}
    >
      <DeliveryPeek delivery={peeked} href={href} onClose={close} />
    </ListPage>
  );
}

function Toolbar() {
  const [search, change] = useSearchParams();
  return (
    <>
      <Segments
        label="Status"
        value={search.status ?? ""}
        options={STATUSES}
        onChange={(id) => change({ status: id, peek: undefined })}
      />
      <TimeRange value={search.since} allTime onChange={(range) => change({ since: range })} />
      {NARROWING.map((name) =>
        search[name] ? (
          <Button key={name} size="small" onClick={() => change({ [name]: undefined })}>
            <span className="max-w-60 truncate">{search[name]}</span>
            <span aria-hidden="true">×</span>
            <span className="sr-only">Remove filter</span>
          </Button>
        ) : null,
      )}
    </>
  );
}

type PeekProps = {
  delivery: WebhookDelivery | undefined;
  href: (delivery: WebhookDelivery) => string;
  onClose: () => void;
};

function DeliveryPeek({ delivery, href, onClose }: PeekProps) {
  return (
    <Inspector
      open={delivery !== undefined}
      onClose={onClose}
      label="Delivery"
      title={<Badge mono>{delivery?.event_type ?? ""}</Badge>}
      actions={
        delivery && (
          <Link href={href(delivery)} className="rounded-sm px-2 py-1 font-medium text-accent hover:bg-hover">
            Open
          </Link>
        )
      }
    >
      {delivery && (
        <div className="p-4">
          <DeliveryDetail id={delivery.id} />
        </div>
      )}
    </Inspector>
  );
}

/** Deliveries that match a filter, updated by the stream. */
function useDeliveries(query: Record<string, string>) {
  const list = useApiList<WebhookDelivery>("/v1/webhook-deliveries", query);
  const isHere = useIsHere();
  const newest = list.rows?.[0]?.id ?? "";
  const isNew = useCallback(
    (change: StreamChange) => {
      const { id, object } = change;
      const { status, event_type, subscription_id, host } = query;
      if (host !== undefined || !isHere(change)) return false; // the stream has no host
      if (event_type !== undefined && object.event_type !== event_type) return false;
      if (subscription_id !== undefined && object.subscription_id !== subscription_id) return false;
      // Ids increase with time, so without a status filter a delivery with an id below the newest row is not new.
      return status === undefined ? id > newest : object.status === status;
    },
    [query, isHere, newest],
  );
  const live = useLiveRows<WebhookDelivery>({
    topics: ["webhook_deliveries"],
    path: "/v1/webhook-deliveries",
    idOf,
    patch: patchDelivery,
    isNew,
    isPaused: false,
  });
  return { ...list, ...live };
}

function idOf({ id }: WebhookDelivery): string {
  return id;
}

function patchDelivery(delivery: WebhookDelivery, { at, object }: StreamChange): WebhookDelivery {
  return at < delivery.updated_at ? delivery : { ...delivery, ...(object as Partial<WebhookDelivery>), updated_at: at };
}

/** The filter of the URL, for the list and for bulk retry. */
function useNarrowing({
  since,
  host,
  event_type,
  subscription_id,
}: Record<string, string | undefined>): Record<string, string> {
  const { environmentFilter: environment_id } = usePlace();
  return useMemo(() => {
    const bounds = since ? boundsOf(since) : undefined;
    return {
      ...(environment_id && { environment_id }),
      ...(host && { host }),
      ...(event_type && { event_type }),
      ...(subscription_id && { subscription_id }),
      ...(bounds && { from: bounds.from.toISOString() }),
      ...(bounds && since?.includes("~") && { to: bounds.to.toISOString() }),
    };
  }, [since, host, event_type, subscription_id, environment_id]);
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState icon={<Webhook size={20} />} title="No deliveries match this filter">
        Remove a condition to see more.
      </EmptyState>
    );
  const body = { url: "https://example.com/hooks", events: ["run.failed"] };
  const code = `curl -s ${location.origin}/v1/webhook-subscriptions \\\n  -H "Authorization: Bearer $MILLRACE_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d ${shellQuoted(JSON.stringify(body))}`;
  return (
    <EmptyState
      icon={<Webhook size={20} />}
      title="No deliveries yet"
      code={<CodeBlock title="Subscribe a URL" code={code} />}
    >
      Subscribed URLs are notified when runs and workflow runs change.
    </EmptyState>
  );
}
