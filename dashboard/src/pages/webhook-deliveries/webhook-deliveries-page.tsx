import type { WebhookDelivery } from "@millrace/contract/webhook-deliveries";
import { useRouter } from "@tanstack/react-router";
import { Webhook } from "lucide-react";
import { useMemo } from "react";
import { withQuery } from "../../api/call.ts";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/as-code.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Inspector } from "../../parts/inspector.tsx";
import { Link } from "../../parts/link.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Table } from "../../parts/table.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { boundsOf, TimeRange } from "../../parts/time-range.tsx";
import { usePlace, useSearchParams } from "../../shell/place.ts";
import { codeOf, shellQuoted } from "../code-of.ts";
import { deliveryColumns } from "./delivery-columns.tsx";
import { DeliveryDetail } from "./delivery-detail.tsx";
import { EndpointHealth } from "./endpoint-health.tsx";
import { RetryMatching } from "./retry-matching.tsx";

const STATUSES = [
  { id: "", label: "All" },
  { id: "pending", label: "On the way" },
  { id: "delivered", label: "Delivered" },
  { id: "failed", label: "Dead letter" },
];

const NARROWING = ["host", "event_type", "subscription_id"] as const;

/** What was sent to receivers, what they said, and what was given up. */
export default function WebhookDeliveriesPage() {
  const [search, change] = useSearchParams();
  const { status, since, peek } = search;
  const { at } = usePlace();
  const { history } = useRouter();
  const narrowing = useNarrowing(search);
  const list = useApiList<WebhookDelivery>("/v1/webhook-deliveries", { ...(status && { status }), ...narrowing });
  const { rows, error } = list;
  const href = (delivery: WebhookDelivery) => at(`webhook-deliveries/${delivery.id}`);
  const looked = rows?.find(({ id }) => id === peek);
  const look = (id: string | undefined) => change({ peek: id }, { replace: true });
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <PageHeader
          title="Webhook deliveries"
          actions={
            <>
              <RetryMatching filter={narrowing} failed={rows?.filter((each) => each.status === "failed").length ?? 0} />
              <AsCode
                about="These deliveries"
                code={codeOf({
                  method: "GET",
                  path: withQuery("/v1/webhook-deliveries", { ...(status && { status }), ...narrowing }),
                })}
              />
            </>
          }
        >
          <EndpointHealth onPick={(host) => change({ host })} />
          <div className="flex flex-wrap items-center gap-2 pb-3">
            <div className="flex max-w-full overflow-x-auto">
              <Segments
                label="Status"
                value={status ?? ""}
                options={STATUSES}
                onChange={(id) => change({ status: id, peek: undefined })}
              />
            </div>
            <TimeRange value={since} allTime onChange={(range) => change({ since: range })} />
            {NARROWING.map((name) =>
              search[name] ? (
                <Button key={name} size="small" onClick={() => change({ [name]: undefined })}>
                  <span className="max-w-60 truncate">{search[name]}</span>
                  <span aria-hidden="true">×</span>
                  <span className="sr-only">Remove this filter</span>
                </Button>
              ) : null,
            )}
          </div>
        </PageHeader>
        {error && rows && <ErrorState error={error} as="banner" onRetry={() => void list.refetch()} />}
        <div className="flex min-h-0 flex-1 flex-col border-t">
          {error && !rows ? (
            <ErrorState error={error} onRetry={() => void list.refetch()} />
          ) : (
            <Table
              label="Webhook deliveries"
              rows={rows}
              rowKey={keyOf}
              columns={deliveryColumns(href)}
              current={peek}
              onPeek={(delivery) => look(delivery.id === peek ? undefined : delivery.id)}
              onOpen={(delivery) => history.push(href(delivery))}
              onReachEnd={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : undefined}
              isLoadingMore={list.isFetchingNextPage}
              empty={<NoDeliveries isFiltered={Boolean(status || since || Object.keys(narrowing).length)} />}
            />
          )}
        </div>
      </div>
      <Inspector
        open={looked !== undefined}
        onClose={() => look(undefined)}
        label="Delivery"
        title={<Badge mono>{looked?.event_type ?? ""}</Badge>}
        actions={
          looked && (
            <Link href={href(looked)} className="rounded-sm px-2 py-1 font-medium text-accent hover:bg-hover">
              Open
            </Link>
          )
        }
      >
        {looked && (
          <div className="p-4">
            <DeliveryDetail id={looked.id} />
          </div>
        )}
      </Inspector>
    </div>
  );
}

function keyOf({ id }: WebhookDelivery): string {
  return id;
}

/** What of the address narrows the list, as the list and the retry take it. */
function useNarrowing({
  since,
  host,
  event_type,
  subscription_id,
}: Record<string, string | undefined>): Record<string, string> {
  return useMemo(() => {
    const bounds = since ? boundsOf(since) : undefined;
    return {
      ...(host && { host }),
      ...(event_type && { event_type }),
      ...(subscription_id && { subscription_id }),
      ...(bounds && { from: bounds.from.toISOString() }),
      ...(bounds && since?.includes("~") && { to: bounds.to.toISOString() }),
    };
  }, [since, host, event_type, subscription_id]);
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState icon={<Webhook size={20} />} title="No delivery fits this filter">
        Take a part of it away, or look at all of them.
      </EmptyState>
    );
  const body = { url: "https://example.com/hooks", events: ["run.failed"] };
  const code = `curl -s ${location.origin}/v1/webhook-subscriptions \\\n  -H "Authorization: Bearer $MILLRACE_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d ${shellQuoted(JSON.stringify(body))}`;
  return (
    <EmptyState
      icon={<Webhook size={20} />}
      title="Nothing was sent yet"
      code={<CodeBlock title="Subscribe a receiver" code={code} />}
    >
      Receivers outside are told of what happens here once they are subscribed.
    </EmptyState>
  );
}
