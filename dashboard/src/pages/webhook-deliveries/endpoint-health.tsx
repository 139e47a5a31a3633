import type { WebhookEndpointHealth } from "@millrace/contract/analytics/analytics-beyond-runs";
import type { WebhookTest } from "@millrace/contract/deliveries/webhook-subscriptions";
import { useDisabledReason, useMay } from "../../api/me.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Sparkline } from "../../parts/chart/sparkline.tsx";
import { Button } from "../../parts/form/button.tsx";
import { formatDuration, formatPercent, formatShort } from "../../parts/format.ts";
import { hostOf } from "../../parts/host-of.ts";
import { Skeleton } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { useRange } from "../shared-analytics/use-range.ts";

type Endpoint = WebhookEndpointHealth["data"][number];

/** Recent health of endpoints, worst first. */
export function EndpointHealth({ onPick }: { onPick: (host: string) => void }) {
  const { query } = useRange("7d");
  const { data, isLoading } = useApi<WebhookEndpointHealth>(
    "/v1/analytics/webhooks/endpoint-health",
    { ...query, limit: 6 },
    useMay("analytics:read"),
  );
  if (isLoading) return <NotYet />;
  if (!data || data.data.length === 0) return null;
  return (
    <ul aria-label="Receivers" className="-mx-1 flex gap-3 overflow-x-auto px-1 py-1">
      {data.data.map((endpoint) => (
        <Card key={`${endpoint.subscription_id} ${endpoint.endpoint}`} endpoint={endpoint} onPick={onPick} />
      ))}
    </ul>
  );
}

/** Reserves the height of the cards, so that the list below does not shift. */
function NotYet() {
  return (
    <div className="-mx-1 flex gap-3 overflow-hidden px-1 py-1" role="status" aria-label="Loading">
      {[1, 2, 3].map((nth) => (
        <div key={nth} className="card h-[102px] w-72 flex-none p-3">
          <Skeleton className="h-4 w-40" />
        </div>
      ))}
    </div>
  );
}

function Card({ endpoint, onPick }: { endpoint: Endpoint; onPick: (host: string) => void }) {
  const { success_rate: rate, p95_ms, attempts, last_failure, buckets } = endpoint;
  const health = rate === null ? "disabled" : rate >= 0.95 ? "ok" : rate >= 0.8 ? "degraded" : "unhealthy";
  const host = hostOf(endpoint.endpoint);
  return (
    <li className="card flex w-72 flex-none flex-col gap-1.5 px-3 py-2.5">
      <div className="flex items-center gap-2">
        <StatusMark status={health} as="mark" />
        <button
          type="button"
          onClick={() => onPick(host)}
          title={endpoint.endpoint}
          className="flex min-w-0 flex-1 text-left font-medium hover:text-accent hover:underline"
        >
          <Address url={endpoint.endpoint} />
        </button>
        <TestEndpoint id={endpoint.subscription_id} />
      </div>
      <div className="flex items-end justify-between gap-2">
        <span className="text-ink-2 text-xs">
          <strong className="font-semibold text-ink text-lg">{rate === null ? "–" : formatPercent(rate)}</strong> of{" "}
          {attempts === 1 ? "1 attempt" : `${formatShort(attempts)} attempts`}
          {p95_ms !== null && ` · p95 ${formatDuration(p95_ms)}`}
        </span>
        {attempts > endpoint.delivered && (
          <Sparkline
            values={buckets.map(({ attempts: sent, delivered }) => sent - delivered)}
            label="Failed attempts"
            className="text-failed"
            kind="bars"
            width={72}
          />
        )}
      </div>
      <p className="truncate text-ink-3 text-xs" title={last_failure?.error ?? undefined}>
        {last_failure
          ? `Last failure: ${last_failure.status_code ? `HTTP ${last_failure.status_code}. ` : ""}${last_failure.error ?? ""}`
          : "No failed deliveries"}
      </p>
    </li>
  );
}

/** Truncates in the middle, because the end distinguishes receivers of one host. */
function Address({ url }: { url: string }) {
  const [, head, tail] = /^(?:https?:\/\/)?(.*?)(\/[^/]*)?$/.exec(url) ?? [];
  return (
    <>
      <span className="truncate">{head}</span>
      {tail && <span className="max-w-[60%] flex-none truncate">{tail}</span>}
    </>
  );
}

function TestEndpoint({ id }: { id: string | null }) {
  const disabledReason = useDisabledReason("webhooks:write");
  const test = useChange<string, WebhookTest>({
    run: (subscription, send) => send<WebhookTest>("POST", `/v1/webhook-subscriptions/${subscription}/test`),
    done: ({ delivered, status_code, error, duration_ms }) =>
      delivered
        ? `Delivered: HTTP ${status_code} in ${formatDuration(duration_ms)}`
        : `Failed: ${error ?? `HTTP ${status_code}`}`,
  });
  if (id === null) return null;
  return (
    <Button
      size="small"
      kind="quiet"
      busy={test.isPending}
      disabledReason={disabledReason}
      onClick={() => test.mutate(id)}
    >
      Test
    </Button>
  );
}
