import type { RunToolCall } from "@millrace/contract/runs/run-records";
import type { Run } from "@millrace/contract/runs/runs";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Json } from "../../parts/code/json.tsx";
import { formatDuration } from "../../parts/format.ts";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorDetail } from "./error-detail.tsx";
import { Records } from "./records.tsx";

export function ToolCallsTab({ run }: { run: Run }) {
  return (
    <Records<RunToolCall>
      path={`/v1/runs/${run.id}/tool-calls`}
      empty={
        <EmptyState
          small
          title="No tool calls"
          code={<CodeBlock code={'const found = await ctx.toolCall("search", { query }, () => search(query));'} />}
        >
          Tool calls that an agent reports are listed here with their input and output.
        </EmptyState>
      }
    >
      {(calls) => calls.map((call) => <Call key={call.id} call={call} />)}
    </Records>
  );
}

function Call({ call }: { call: RunToolCall }) {
  const { name, status, input, output, error, duration_ms, attempt, created_at } = call;
  return (
    <details className="card group">
      <summary className="flex h-10 cursor-pointer items-center gap-3 px-4">
        <StatusMark status={status} as="mark" />
        <code className="min-w-0 flex-1 truncate font-mono text-xs">{name}</code>
        <span className="text-ink-3 text-xs">attempt {attempt}</span>
        {duration_ms !== null && <span className="font-mono text-ink-2 text-xs">{formatDuration(duration_ms)}</span>}
        <Time at={created_at} className="text-ink-3 text-xs" />
      </summary>
      <div className="grid gap-3 border-t p-4 md:grid-cols-2">
        <Json value={input} />
        {error ? <ErrorDetail code="failed" message={error} /> : <Json value={output} />}
      </div>
    </details>
  );
}
