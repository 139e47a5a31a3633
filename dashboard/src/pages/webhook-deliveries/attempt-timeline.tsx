import type { DeliveryAttempt, WebhookDeliveryDetail } from "@millrace/contract/deliveries/webhook-deliveries";
import { cx } from "../../parts/class-names.ts";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { formatDuration } from "../../parts/format.ts";
import { StatusMark } from "../../parts/state/status-mark.tsx";

/** Seconds after the previous attempt. */
const PLANNED = [0, 5, 25, 125, 625];
const LOOKS: Record<string, [string, string]> = {
  delivered: ["delivered", "Delivered"],
  refused: ["failed", "Rejected, not retried"],
  retryable: ["retrying", "Failed"],
  given_up: ["failed", "Failed, no attempts left"],
  aborted: ["skipped", "Aborted, not counted"],
  lost: ["timed_out", "Interrupted"],
};

type Props = { delivery: WebhookDeliveryDetail; chosen: DeliveryAttempt | undefined; onChoose: (nth: number) => void };

/** Attempts with their planned times, including future ones. */
export function AttemptTimeline({ delivery, chosen, onChoose }: Props) {
  const { attempt_history: history, status, attempts, max_attempts } = delivery;
  const left = status === "pending" ? PLANNED.slice(attempts, max_attempts) : [];
  return (
    <div className="flex flex-col gap-3">
      <ol className="overflow-hidden rounded-sm border">
        {history.map((attempt, nth) => (
          <li key={`${attempt.attempt} ${attempt.started_at}`} className="border-b last:border-b-0">
            <button
              type="button"
              aria-pressed={attempt === chosen}
              onClick={() => onChoose(nth)}
              className={cx(
                "grid w-full grid-cols-[20px_1fr] items-center sm:grid-cols-[20px_1fr_auto] gap-x-2 px-3 py-2 text-left -outline-offset-2 hover:bg-surface",
                attempt === chosen && "bg-selected",
              )}
            >
              <Outcome attempt={attempt} isLast={status === "failed" && nth === history.length - 1} />
              <span className="min-w-0 truncate">
                Attempt {attempt.attempt}
                <span className="ml-2 text-ink-2">{resultText(attempt)}</span>
              </span>
              <Timing attempt={attempt} before={history[nth - 1]} />
            </button>
          </li>
        ))}
        {left.map((wait, nth) => (
          <li key={wait} className="flex items-center gap-2 border-b px-3 py-2 text-ink-3 last:border-b-0">
            <StatusMark status="pending" as="mark" />
            <span className="flex-1">Attempt {attempts + nth + 1}</span>
            <span className="font-mono text-xs">
              {wait === 0 ? "immediately" : `scheduled +${formatDuration(wait * 1_000)}`}
            </span>
          </li>
        ))}
      </ol>
      {chosen && <Exchange attempt={chosen} />}
    </div>
  );
}

/** The last attempt is never retried, regardless of its response. */
function Outcome({ attempt: { outcome }, isLast }: { attempt: DeliveryAttempt; isLast: boolean }) {
  const look = isLast && outcome === "retryable" ? "given_up" : outcome;
  const [status, label] = (look && LOOKS[look]) || ["running", "In progress"];
  return <StatusMark status={status} label={label} as="mark" />;
}

function resultText({ status_code, error, outcome, duration_ms }: DeliveryAttempt): string {
  const what =
    status_code === null ? (error ?? (outcome === null ? "in progress" : "no response")) : `HTTP ${status_code}`;
  return duration_ms === null ? what : `${what} in ${formatDuration(duration_ms)}`;
}

/** A manual retry restarts the attempt count, so its first attempt has no planned time. */
function Timing({ attempt, before }: { attempt: DeliveryAttempt; before: DeliveryAttempt | undefined }) {
  const planned = PLANNED[attempt.attempt - 1] ?? 0;
  if (planned === 0 || !before)
    return <span className="font-mono text-ink-3 text-xs max-sm:col-start-2">immediately</span>;
  const actual = Date.parse(attempt.started_at) - Date.parse(before.finished_at ?? before.started_at);
  return (
    <span className="whitespace-nowrap font-mono text-ink-2 text-xs max-sm:col-start-2">
      +{formatDuration(actual)} <span className="text-ink-3">(planned {formatDuration(planned * 1_000)})</span>
    </span>
  );
}

function Exchange({ attempt }: { attempt: DeliveryAttempt }) {
  const lines = (headers: Record<string, string> | null) =>
    Object.entries(headers ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n");
  const response = [
    attempt.status_code === null ? (attempt.error ?? "No response") : `HTTP ${attempt.status_code}`,
    lines(attempt.response_headers),
    attempt.response_body ? `\n${attempt.response_body}` : "",
  ].filter(Boolean);
  return (
    <div className="grid gap-3">
      <CodeBlock
        title={`Request (attempt ${attempt.attempt})`}
        code={lines(attempt.request_headers) || "No headers recorded."}
      />
      <CodeBlock title="Response" code={response.join("\n")} />
    </div>
  );
}
