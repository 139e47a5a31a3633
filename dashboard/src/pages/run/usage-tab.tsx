import type { RunCost } from "@millrace/contract/analytics/run-cost";
import type { RunUsage } from "@millrace/contract/runs/run-records";
import type { Run } from "@millrace/contract/runs/runs";
import { useApi } from "../../api/use-api.ts";
import { Stat } from "../../parts/chart/stat.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { formatCount, formatDuration, formatMoney, plural } from "../../parts/format.ts";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { Time } from "../../parts/time.tsx";
import { Records } from "./records.tsx";

export function UsageTab({ run }: { run: Run }) {
  const { data: cost } = useApi<RunCost>(`/v1/runs/${run.id}/cost`);
  const money = (value: number | undefined) => (value === undefined ? undefined : formatMoney(value));
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Stat label="Cost" value={money(cost?.total_microusd)} hint="total" />
        <Stat label="Reported" value={money(cost?.reported_microusd)} hint="reported by the job" />
        <Stat label="Compute" value={money(cost?.compute_microusd)} hint="from execution time" />
        <Stat
          label="Execution time"
          value={cost && formatDuration(cost.wall_ms)}
          hint={cost && plural(cost.dispatches, "dispatch", "dispatches")}
        />
      </div>
      <Records<RunUsage>
        path={`/v1/runs/${run.id}/usage`}
        empty={
          <EmptyState
            small
            title="No usage reported"
            code={
              <CodeBlock
                code={'await ctx.usage.add({ model: "m-1", inputTokens: 812, outputTokens: 96, costUsd: 0.0042 });'}
              />
            }
          >
            Report usage in a job to track its cost and to cap it.
          </EmptyState>
        }
      >
        {(usage) => <UsageTable usage={usage} />}
      </Records>
    </div>
  );
}

function UsageTable({ usage }: { usage: RunUsage[] }) {
  const tokens = (value: number | null) => (value === null ? "–" : formatCount(value));
  return (
    <section className="card overflow-x-auto -outline-offset-2" tabIndex={0} aria-label="Usage">
      <table className="w-full min-w-[560px] text-left">
        <thead className="text-ink-2 text-xs">
          <tr className="h-9 border-b [&>th]:px-4 [&>th]:font-medium">
            <th>Model</th>
            <th className="text-right">Input</th>
            <th className="text-right">Output</th>
            <th className="text-right">Cost</th>
            <th className="text-right">Attempt</th>
            <th className="text-right">Time</th>
          </tr>
        </thead>
        <tbody>
          {usage.map((each) => (
            <tr key={each.id} className="h-9 border-b last:border-0 [&>td]:px-4">
              <td>
                {each.model ?? "–"} {each.provider && <span className="text-ink-3">{each.provider}</span>}
              </td>
              <td className="text-right font-mono text-xs">{tokens(each.input_tokens)}</td>
              <td className="text-right font-mono text-xs">{tokens(each.output_tokens)}</td>
              <td className="text-right font-mono text-xs">{formatMoney(each.cost_microusd)}</td>
              <td className="text-right font-mono text-xs">{each.attempt}</td>
              <td className="text-right text-ink-2">
                <Time at={each.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
