import type { WebhookDeliveryDetail } from "@millrace/contract/deliveries/webhook-deliveries";
import { RotateCw } from "lucide-react";
import { useDisabledReason } from "../../api/me.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";
import { Json } from "../../parts/code/json.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { Id } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { Countdown } from "../../parts/state/countdown.tsx";
import { NoObject } from "../../parts/state/no-object.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { AttemptTimeline } from "./attempt-timeline.tsx";
import { DeliveryStatus } from "./delivery-columns.tsx";
import { SignaturePanel } from "./signature-panel.tsx";

/** One delivery: body, attempts and signature check. */
export function DeliveryDetail({ id }: { id: string }) {
  const { data, error, refetch } = useApi<WebhookDeliveryDetail>(`/v1/webhook-deliveries/${id}`);
  const [{ attempt }, change] = useSearchParams();
  const read = () => void refetch();
  useLive(data ? [`webhook_delivery:${id}`] : [], read, read);
  if (error && !data) {
    return <NoObject error={error} onRetry={read} noun="webhook delivery" list="webhook-deliveries" />;
  }
  if (!data) return <SkeletonLines lines={8} />;
  const history = data.attempt_history;
  const chosen = history[Number(attempt ?? history.length) - 1] ?? history.at(-1);
  return (
    <div className="flex flex-col gap-5">
      <Summary delivery={data} />
      <DeliveryFacts delivery={data} />
      <Section title="Attempts">
        <AttemptTimeline
          delivery={data}
          chosen={chosen}
          onChoose={(nth) => change({ attempt: String(nth + 1) }, { replace: true })}
        />
      </Section>
      <Section title="Body">
        {data.body === null ? (
          <p className="text-ink-3">You don't have access to the body of this webhook.</p>
        ) : (
          <Json value={parsed(data.body)} open={2} />
        )}
      </Section>
      {chosen && data.body !== null && <SignaturePanel body={data.body} headers={chosen.request_headers ?? {}} />}
    </div>
  );
}

/** The state in one sentence, and the retry button. */
function Summary({ delivery }: { delivery: WebhookDeliveryDetail }) {
  const disabledReason = useDisabledReason("webhooks:write");
  const retry = useChange<string>({
    run: (id, send) => send("POST", `/v1/webhook-deliveries/${id}/retry`),
    done: "Delivery restarted from the first attempt",
    invalidates: ["/v1/webhook-deliveries"],
  });
  const unless = delivery.status === "failed" ? undefined : "Only failed deliveries can be retried.";
  return (
    <div className="flex flex-wrap items-start justify-between gap-3">
      <div className="flex min-w-0 flex-1 basis-60 flex-col items-start gap-1.5">
        <DeliveryStatus delivery={delivery} as="badge" />
        <p className="text-ink-2">{sentenceOf(delivery)}</p>
      </div>
      <Button
        size="small"
        icon={<RotateCw size={13} />}
        busy={retry.isPending}
        disabledReason={disabledReason ?? unless}
        onClick={() => retry.mutate(delivery.id)}
      >
        Retry delivery
      </Button>
    </div>
  );
}

function sentenceOf({ status, attempts, max_attempts, last_status_code, last_error }: WebhookDeliveryDetail): string {
  if (status === "delivered") return `Delivered on attempt ${Math.max(1, attempts)}.`;
  if (status === "pending")
    return attempts === 0
      ? "No attempts yet."
      : `Attempt ${attempts} of ${max_attempts} failed. The next one is scheduled.`;
  const isRejected = last_status_code !== null && last_status_code >= 300 && last_status_code < 500;
  if (isRejected) return `Not retried: the receiver rejected it with HTTP ${last_status_code}.`;
  if (attempts >= max_attempts) return `Failed after ${attempts} attempts. ${last_error ?? ""}`;
  return last_error ?? "Failed.";
}

function DeliveryFacts({ delivery }: { delivery: WebhookDeliveryDetail }) {
  const { at } = usePlace();
  const isRun = delivery.source_type === "run";
  return (
    <Facts
      facts={[
        ["Delivery", <Id key="i" value={delivery.id} head={8} tail={12} />],
        [
          "Event",
          <code key="e" className="font-mono text-xs">
            {delivery.event_type}
          </code>,
        ],
        [
          "Receiver",
          <code key="u" className="break-all font-mono text-xs">
            {delivery.url}
          </code>,
        ],
        [
          "Source",
          isRun ? (
            <Link key="s" href={at(`runs/${delivery.source_id}`)} className="text-accent hover:underline">
              {delivery.source_type} <span className="break-all font-mono text-xs">{delivery.source_id}</span>
            </Link>
          ) : (
            `${delivery.source_type} ${delivery.source_id}`
          ),
        ],
        ["Created", <Time key="c" at={delivery.created_at} />],
        [
          "Next attempt",
          delivery.status === "pending" && delivery.next_attempt_at ? (
            <Countdown key="n" until={delivery.next_attempt_at} />
          ) : null,
        ],
        ["Last error", sentenceOf(delivery).includes(delivery.last_error ?? "") ? null : delivery.last_error],
      ]}
    />
  );
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
