import type { BulkTriggerResult, TriggerItem } from "@millrace/contract/events/triggers";
import type { Job } from "@millrace/contract/jobs/jobs";
import { Layers } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../../api/me.ts";
import { useChange } from "../../../api/use-api.ts";
import { CodeEditor } from "../../../parts/code/editor/code-editor.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { useSubmit } from "../../../parts/form/use-submit.ts";
import { plural } from "../../../parts/format.ts";
import { shortId } from "../../../parts/id.tsx";
import { Link } from "../../../parts/link.tsx";
import { EmptyState } from "../../../parts/state/empty-state.tsx";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { StatusMark } from "../../../parts/state/status-mark.tsx";
import { usePlace } from "../../../shell/place/place.ts";
import { parseItems } from "./parse-items.ts";

const MAX_ITEMS = 100;
type Result = BulkTriggerResult["results"][number];
type Done = { items: TriggerItem[]; response: BulkTriggerResult };

/** Triggers up to a hundred runs from a JSON array, JSON Lines or CSV. Rejected items can be fixed and sent again. */
export function BulkTab({ job }: { job: Job }) {
  const [text, setText] = useState("");
  const [done, setDone] = useState<Done>();
  const trigger = useBulkTrigger(job);
  const { error, isBusy, send } = useSubmit(async (items: TriggerItem[]) =>
    setDone({ items, response: await trigger.mutateAsync(items) }),
  );
  const keep = (items: TriggerItem[]) => {
    setText(items.map((item) => JSON.stringify(item)).join("\n"));
    setDone(undefined);
  };
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-2">
        <Items text={text} onChange={setText} isBusy={isBusy} error={error} onSend={(items) => void send(items)} />
      </div>
      {done ? (
        <Outcome done={done} onKeep={keep} />
      ) : (
        <EmptyState small icon={<Layers size={20} />} title="No results yet">
          The result of each item appears here. You can fix rejected items and send them again.
        </EmptyState>
      )}
    </div>
  );
}

function useBulkTrigger(job: Job) {
  const { environmentFilter } = usePlace();
  const place = environmentFilter && { environment_id: environmentFilter };
  return useChange<TriggerItem[], BulkTriggerResult>({
    run: (items, send) =>
      send("POST", `/v1/jobs/${job.id}/trigger/bulk`, { items: items.map((item) => ({ ...place, ...item })) }),
    invalidates: ["/v1/runs", "/v1/batch-operations"],
  });
}

type ItemsProps = {
  text: string;
  onChange: (text: string) => void;
  isBusy: boolean;
  error: unknown;
  onSend: (items: TriggerItem[]) => void;
};

function Items({ text, onChange, isBusy, error, onSend }: ItemsProps) {
  const disabledReason = useDisabledReason("jobs:trigger");
  const parsed = parseItems(text);
  const items = parsed.ok ? parsed.items : [];
  return (
    <>
      <CodeEditor
        label="Items: a JSON array, JSON Lines, or CSV with a header row"
        language="json"
        rows={16}
        value={text}
        onChange={onChange}
        placeholder={'{"user": 1}\n{"user": 2}'}
        issues={parsed.ok ? undefined : [{ location: "", message: parsed.message }]}
        hint={parsed.ok && `${plural(items.length, "item")} (max. ${MAX_ITEMS})`}
      />
      {error !== undefined && <ErrorState error={error} as="banner" />}
      <Button
        kind="primary"
        className="self-end"
        busy={isBusy}
        disabledReason={disabledReason ?? disabledReasonOf(parsed.ok, items.length)}
        onClick={() => onSend(items)}
      >
        {items.length === 0 ? "Trigger runs" : `Trigger ${plural(items.length, "run")}`}
      </Button>
    </>
  );
}

function disabledReasonOf(isRead: boolean, count: number): string | undefined {
  if (!isRead) return "The items are not valid.";
  if (count === 0) return "Enter at least one item.";
  return count > MAX_ITEMS ? `At most ${MAX_ITEMS} items at a time.` : undefined;
}

function Outcome({ done: { items, response }, onKeep }: { done: Done; onKeep: (items: TriggerItem[]) => void }) {
  const { at } = usePlace();
  const failed = response.results.filter(({ status }) => status === "failed");
  return (
    <section aria-label="Result" className="flex min-w-0 flex-col gap-2">
      <header className="flex flex-wrap items-center gap-3">
        <p className="font-medium">
          {plural(response.results.length - failed.length, "run")} accepted, {failed.length} rejected
        </p>
        <Link href={at(`batch-operations/${response.batch_id}`)} className="text-accent hover:underline">
          View batch
        </Link>
        {failed.length > 0 && (
          <Button
            size="small"
            className="ml-auto"
            onClick={() => onKeep(failed.flatMap(({ index }) => items[index] ?? []))}
          >
            Keep only rejected items
          </Button>
        )}
      </header>
      <ul className="card max-h-[480px] divide-y overflow-y-auto">
        {response.results.map((result) => (
          <ResultRow key={result.index} result={result} href={(id) => at(`runs/${id}`)} />
        ))}
      </ul>
    </section>
  );
}

const LOOKS = { created: "completed", existing: "skipped", failed: "failed" } as const;
const NAMES = { created: "Created", existing: "Already existed", failed: "Rejected" } as const;

function ResultRow({
  result: { index, status, run_id, error },
  href,
}: {
  result: Result;
  href: (id: string) => string;
}) {
  return (
    <li className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-1.5">
      <span className="w-8 font-mono text-ink-3 text-xs">{index + 1}</span>
      <StatusMark status={LOOKS[status]} label={NAMES[status]} />
      {run_id && (
        <Link href={href(run_id)} className="font-mono text-accent text-xs hover:underline">
          {shortId(run_id)}
        </Link>
      )}
      {error && (
        <span className="min-w-0 flex-1 text-ink-2">
          {error.errors.length === 0 ? error.message : error.errors.map(issueText).join("; ")}
        </span>
      )}
    </li>
  );
}

/** The location within the item, because the row already shows its index. */
function issueText({ location, message }: { location: string; message: string }): string {
  return `${location.replace(/^body\.items\[\d+\]\.?/, "")} ${message}`;
}
