import type { Run } from "@millrace/contract/runs/runs";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Json } from "../../parts/code/json.tsx";
import { Section } from "../../parts/facts.tsx";
import type { Span } from "../shared-trace/trace-items.ts";

type Props = {
  run: Run;
  attempt: Span;
  /** Null: a worker claimed the run. Undefined: not known yet. */
  endpoint: string | null | undefined;
};

/** Request and response of one attempt. Signatures and tokens are not stored, so they are not shown. */
export function AttemptDetail({ run, attempt, endpoint }: Props) {
  const isLast = attempt.attempt === run.attempt;
  return (
    <>
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
    </>
  );
}

function requestOf({ id, job_id }: Run, { attempt }: Span, endpoint: string | undefined): string {
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

function responseWords({ finished_at, attributes }: Span, isPulled: boolean): string {
  const { http_status, error, outcome } = attributes;
  if (finished_at === null) return "None yet. The attempt is still running.";
  if (error && isPulled) return "None: the attempt ended with the error above.";
  if (error) return http_status === null ? "No response." : `${http_status}, with the error above.`;
  if (isPulled && outcome !== "waiting") return "The worker reported no result.";
  return outcome === "waiting" ? "The job suspended to wait." : `${http_status ?? "Response"}, without a result.`;
}
