import type { Run, RunAttempt } from "@millrace/contract/runs";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Json } from "../../parts/code/json.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { formatDuration } from "../../parts/format.ts";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorDetail } from "./error-detail.tsx";

type Props = {
  run: Run;
  attempt: RunAttempt;
  /** Null: a worker claimed the run. Undefined: not known yet. */
  endpoint: string | null | undefined;
};

/** Request and response of one attempt. Signatures and tokens are not stored, so they are not shown. */
export function AttemptDetail({ run, attempt, endpoint }: Props) {
  const { error, http_status, outcome, duration_ms, to_status } = attempt;
  const isLast = attempt.attempt === run.attempt;
  return (
    <>
      <Facts
        facts={[
          ["Outcome", outcome ?? "running"],
          ["Resulting status", to_status && <StatusMark key="t" status={to_status} />],
          ["HTTP status", http_status],
          ["Started", <Time key="b" at={attempt.started_at} />],
          [
            "Duration",
            duration_ms === null ? null : (
              <span key="d" className="font-mono text-xs">
                {formatDuration(duration_ms)}
              </span>
            ),
          ],
        ]}
      />
      {error && <ErrorDetail code={error.code} message={error.message} />}
      <div className="grid gap-4 md:grid-cols-2">
        <Section title="Request">
          {endpoint === null ? (
            <p className="text-ink-3">A worker claimed the run with this payload.</p>
          ) : (
            <CodeBlock code={requestOf(run, attempt, endpoint)} />
          )}
          <Json value={run.payload} />
        </Section>
        <Section title="Response">
          {isLast && run.result !== null ? (
            <Json value={run.result} />
          ) : (
            <p className="text-ink-3">{responseWords(attempt, endpoint === null)}</p>
          )}
        </Section>
      </div>
    </>
  );
}

function requestOf({ id, job_id }: Run, { attempt }: RunAttempt, endpoint: string | undefined): string {
  return [
    `POST ${endpoint ?? "(endpoint of the job)"}`,
    "Content-Type: application/json",
    `X-Svc-Run-Id: ${id}`,
    `X-Svc-Job-Id: ${job_id}`,
    `X-Svc-Attempt: ${attempt}`,
    "X-Svc-Run-Token: •••••• (redacted)",
    "X-Svc-Signature: •••••• (redacted)",
  ].join("\n");
}

function responseWords({ finished_at, http_status, error, to_status }: RunAttempt, isPulled: boolean): string {
  if (finished_at === null) return "None yet. The attempt is still running.";
  if (error && isPulled) return "None: the attempt ended with the error above.";
  if (error) return http_status === null ? "No response." : `${http_status}, with the error above.`;
  if (isPulled && to_status !== "waiting") return "The worker reported no result.";
  return to_status === "waiting" ? "The job suspended to wait." : `${http_status ?? "Response"}, without a result.`;
}
