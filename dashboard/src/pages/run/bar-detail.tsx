import type { EventTrigger } from "@millrace/contract/events";
import type { Run } from "@millrace/contract/runs";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Actor } from "../../parts/actor.tsx";
import { Json } from "../../parts/code/json.tsx";
import { Facts } from "../../parts/facts.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import type { RunRecords } from "../shared-runs/run-bars.ts";
import { AttemptDetail } from "./attempt-detail.tsx";
import { ErrorDetail } from "./error-detail.tsx";

type Props = { run: Run; bar: string; records: RunRecords; endpoint: string | null | undefined; onClose: () => void };

/** Details of the selected timeline bar. */
export function BarDetail({ run, bar, records, endpoint, onClose }: Props) {
  const [title, content] = contentOf(run, bar, records, endpoint) ?? [];
  if (!content) return null;
  return (
    <section aria-label="Timeline details" className="card flex flex-col gap-3 p-4">
      <header className="flex items-center justify-between">
        <h3 className="font-medium">{title}</h3>
        <IconButton label="Close" size="small" icon={<X size={14} />} onClick={onClose} />
      </header>
      {content}
    </section>
  );
}

function contentOf(
  run: Run,
  bar: string,
  { attempts, waits, toolCalls }: RunRecords,
  endpoint: string | null | undefined,
): [string, ReactNode] | undefined {
  const attempt = attempts.find((each) => bar === `attempt-${each.attempt}`);
  if (attempt)
    return [`Attempt ${attempt.attempt}`, <AttemptDetail key="a" run={run} attempt={attempt} endpoint={endpoint} />];
  const call = toolCalls?.find(({ id }) => bar === `tool-${id}`);
  if (call) {
    return [
      call.name,
      <div key="t" className="grid gap-3 md:grid-cols-2">
        <Json value={call.input} />
        {call.error ? <ErrorDetail code="tool" message={call.error} /> : <Json value={call.output} />}
      </div>,
    ];
  }
  const wait = waits?.find(({ id }) => bar === `wait-${id}`);
  if (wait) return ["Wait", <WaitFacts key="w" wait={wait} />];
  return bar === "queue" ? ["Queued", <QueueFacts key="q" run={run} />] : undefined;
}

function WaitFacts({ wait }: { wait: EventTrigger }) {
  return (
    <Facts
      facts={[
        ["Status", <StatusMark key="s" status={wait.status} />],
        [
          "Key",
          <code key="k" className="break-all font-mono text-xs">
            {wait.event_key}
          </code>,
        ],
        ["Requested", <Time key="r" at={wait.requested_at} />],
        ["Expires", <Time key="e" at={wait.expires_at} />],
        ["Finished", wait.finished_at && <Time key="f" at={wait.finished_at} />],
        ["Sent by", wait.sent_by && <Actor key="b" name={wait.sent_by} id={wait.sent_by_id} />],
        ["Payload", wait.status === "received" ? <Json key="p" value={wait.payload} /> : null],
      ]}
    />
  );
}

function QueueFacts({ run }: { run: Run }) {
  return (
    <Facts
      facts={[
        ["Created", <Time key="c" at={run.created_at} />],
        ["Scheduled for", <Time key="d" at={run.scheduled_at} />],
        ["Priority", run.priority],
      ]}
    />
  );
}
