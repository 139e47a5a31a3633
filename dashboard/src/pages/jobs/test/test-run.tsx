import type { Run, RunAttempt } from "@millrace/contract/runs/runs";
import { useState } from "react";
import { type Page, useApi } from "../../../api/use-api.ts";
import { Waterfall } from "../../../parts/chart/waterfall.tsx";
import { CodeBlock } from "../../../parts/code/code-block.tsx";
import { Json } from "../../../parts/code/json.tsx";
import { Section } from "../../../parts/facts.tsx";
import { Link } from "../../../parts/link.tsx";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../../parts/state/skeleton.tsx";
import { StatusMark } from "../../../parts/state/status-mark.tsx";
import { runStatus } from "../../../parts/state/statuses.ts";
import { Duration } from "../../../parts/time.tsx";
import { usePlace } from "../../../shell/place/place.ts";
import { shellQuoted } from "../../code-of.ts";
import { runBars } from "../../shared-runs/run-bars.ts";
import { RunLogs } from "../../shared-runs/run-logs.tsx";
import { useRun } from "../../shared-runs/use-run.ts";
import { BlockedReasons } from "../limits/blocked-reasons.tsx";

/** Live view of a run that was just triggered. */
export function TestRun({ id, endpoint }: { id: string; endpoint: string | null }) {
  const { run, error, refetch } = useRun(id);
  if (error && !run) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!run) return <SkeletonLines />;
  return (
    <section aria-label="Test run" className="flex flex-col gap-4">
      <Head run={run} />
      {run.status === "pending" && <BlockedReasons run={run} />}
      <Timeline run={run} />
      {run.error && (
        <Section title="Error">
          <div className="rounded-sm border border-l-2 border-l-failed bg-surface px-3 py-2">
            <code className="font-mono text-xs">{run.error.code}</code>
            <p className="mt-0.5 whitespace-pre-wrap break-words text-ink-2">{run.error.message}</p>
          </div>
          {endpoint !== null && <DoctorHint endpoint={endpoint} />}
        </Section>
      )}
      {run.result !== null && (
        <Section title="Result">
          <Json value={run.result} />
        </Section>
      )}
      <Log id={id} />
    </section>
  );
}

/** The command that checks whether the endpoint is reachable and responds correctly. */
function DoctorHint({ endpoint }: { endpoint: string }) {
  return <CodeBlock title="Check the endpoint" code={`millrace doctor ${shellQuoted(endpoint)}`} />;
}

function Head({ run }: { run: Run }) {
  const { at } = usePlace();
  return (
    <header className="flex items-center gap-3">
      <StatusMark status={runStatus(run)} as="badge" />
      <Duration from={run.started_at} to={run.finished_at} />
      <Link href={at(`runs/${run.id}`)} className="ml-auto text-accent hover:underline">
        Open run
      </Link>
    </header>
  );
}

function Timeline({ run }: { run: Run }) {
  const { data } = useApi<Page<RunAttempt>>(`/v1/runs/${run.id}/attempts`, { limit: 100, order: "asc" });
  return (
    <Section title="Timeline">
      <div className="card px-3 py-2">
        {data ? <Waterfall bars={runBars(run, data.data)} /> : <SkeletonLines lines={2} />}
      </div>
    </Section>
  );
}

function Log({ id }: { id: string }) {
  const [filter, setFilter] = useState({ q: "", min: "debug" });
  const [line, setLine] = useState<string>();
  return (
    <Section title="Log">
      <RunLogs runId={id} filter={filter} onFilter={setFilter} line={line} onLine={setLine} className="h-60" />
    </Section>
  );
}
