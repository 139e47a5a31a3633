import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Facts } from "../../parts/facts.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";

/** The receiver's response to a test. */
type Result = {
  delivered: boolean;
  status_code: number | null;
  duration_ms: number;
  error: string | null;
  response_body?: string | null;
  sent: string;
};

export function TestResult({ result }: { result: Result }) {
  return (
    <section aria-label="Result" className="flex flex-col gap-3">
      <span>
        <StatusMark
          as="badge"
          status={result.delivered ? "delivered" : "failed"}
          label={result.delivered ? "Delivered" : "Not delivered"}
        />
      </span>
      <Facts
        facts={[
          ["Response", result.status_code === null ? null : `HTTP ${result.status_code}`],
          ["Duration", `${result.duration_ms} ms`],
          ["Error", result.error],
        ]}
      />
      {result.response_body && <CodeBlock title="Response body" code={result.response_body} />}
      <CodeBlock title="Sent" code={printed(result.sent)} />
    </section>
  );
}

function printed(sent: string): string {
  try {
    return JSON.stringify(JSON.parse(sent), null, 2);
  } catch {
    return sent;
  }
}
