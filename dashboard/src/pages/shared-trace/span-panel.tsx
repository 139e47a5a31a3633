import type { ReactNode } from "react";
import { CopyButton } from "../../parts/code/copy-button.tsx";
import { Json } from "../../parts/code/json.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { formatDuration } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Duration, Time } from "../../parts/time.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { SpanActions } from "./span-actions.tsx";
import { type Span, traceBelow } from "./trace-items.ts";

const KINDS: Record<string, string> = {
  run: "Run",
  workflow_run: "Workflow run",
  workflow_step: "Workflow step",
  map_item: "Map item",
  compensation: "Compensation",
  queue: "Time in the queue",
  attempt: "Attempt",
  backoff: "Backoff before the next attempt",
  pause: "Pause",
  wait: "Wait",
  step: "Step of the job",
  tool_call: "Tool call",
  checkpoint: "Checkpoint",
  log: "Log line",
};

/** Attributes of a span. `children`: what only the page of its run can show. */
export function SpanPanel({ span, children }: { span: Span; children?: ReactNode }) {
  const { attributes, started_at, finished_at } = span;
  const isMoment = span.kind === "log" || span.kind === "checkpoint";
  return (
    <div className="flex flex-col gap-5 p-4">
      {span.kind === "log" ? (
        <LogText span={span} />
      ) : (
        <div>
          <StatusMark status={span.status} as="badge" />
        </div>
      )}
      <SpanActions span={span} />
      <Facts
        facts={[
          ["Kind", KINDS[span.kind] ?? span.kind],
          ["Open trace of", span.parent_id !== null && traceBelow(span) ? <TraceLink key="l" span={span} /> : null],
          ["Attempt", span.attempt],
          [isMoment ? "At" : "Started", <Time key="s" at={started_at} />],
          ["Finished", isMoment ? null : finished_at && <Time key="f" at={finished_at} />],
          ["Duration", isMoment ? null : <Duration key="d" from={started_at} to={finished_at} />],
          ...factsOf(attributes),
          ["Id", <Id key="i" value={span.id} />],
        ]}
      />
      <ErrorSection error={attributes.error} />
      {children}
      {PARTS.map(
        ([name, title]) =>
          attributes[name] !== null &&
          attributes[name] !== undefined && (
            <Section key={name} title={title}>
              <Json value={attributes[name]} />
            </Section>
          ),
      )}
    </div>
  );
}

const PARTS = [
  ["input", "Input"],
  ["output", "Output"],
  ["fields", "Fields"],
] as const;

/** Shown elsewhere in the panel, or of no use to a reader. */
const APART: ReadonlySet<string> = new Set([
  ...PARTS.map(([name]) => name),
  "error",
  "job_id",
  "workflow_id",
  "generation",
]);

function factsOf(attributes: Span["attributes"]): [string, ReactNode][] {
  return Object.entries(attributes).flatMap(([name, value]): [string, ReactNode][] => {
    if (value === null || APART.has(name)) return [];
    return [[wordsOf(name), shownValue(name, value)]];
  });
}

function shownValue(name: string, value: unknown): ReactNode {
  if (name.endsWith("_ms") && typeof value === "number") return formatDuration(value);
  if (name.endsWith("_at") && typeof value === "string") return <Time at={value} />;
  if (typeof value === "string") return <span className="whitespace-pre-wrap break-words">{value}</span>;
  return JSON.stringify(value);
}

const WORDS: Record<string, string> = {
  http_status: "HTTP status",
  duration_ms: "Reported duration",
  event_key: "Event key",
  tries_used: "Tries used",
  expires_at: "Expires",
};

function wordsOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return WORDS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

function TraceLink({ span }: { span: Span }) {
  const { at } = usePlace();
  const below = traceBelow(span);
  if (!below) return null;
  const path = below.type === "run" ? `runs/${below.id}` : `workflow-runs/${below.id}`;
  return (
    <Link href={at(path)} className="text-accent hover:underline">
      {below.type === "run" ? "Run" : "Workflow run"}
    </Link>
  );
}

function LogText({ span: { name, status } }: { span: Span }) {
  return (
    <div className="flex items-start gap-2">
      <pre className="min-w-0 flex-1 whitespace-pre-wrap break-words rounded-sm border bg-surface px-3 py-2 font-mono text-xs">
        <span className="text-ink-3">{status} </span>
        {name}
      </pre>
      <CopyButton text={name} label="Copy line" />
    </div>
  );
}

function ErrorSection({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  const { code, message } =
    typeof error === "string" ? { code: "", message: error } : (error as Record<string, string>);
  return (
    <Section title="Error">
      <div className="rounded-sm border border-l-2 border-l-failed bg-surface px-3 py-2">
        {code && <code className="font-mono text-xs">{code}</code>}
        <p className="mt-0.5 whitespace-pre-wrap break-words text-ink-2">{message}</p>
      </div>
    </Section>
  );
}
