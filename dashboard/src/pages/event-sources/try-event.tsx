import type { EventSource } from "@millrace/contract/events/event-sources";
import type { EventTested, SourceEvent } from "@millrace/contract/events/source-events";
import { Send } from "lucide-react";
import { useMemo } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Json } from "../../parts/code/json.tsx";
import { JsonEditor, readJson } from "../../parts/code/json-editor.tsx";
import { Button } from "../../parts/form/button.tsx";
import { plural } from "../../parts/format.ts";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { useEventTest } from "./use-event-test.ts";
import { useLastEvent } from "./use-last-event.ts";
import { useTargetName } from "./use-target-name.ts";

/** An editable event on the left; on the right, what each subscription would do with it. */
export function TryEvent({ source }: { source: EventSource }) {
  const [text, setText] = useLastEvent(source);
  const read = useMemo(() => readJson(text), [text]);
  const tested = useEventTest(source, read.ok ? read.value : undefined);
  const noScope = useDisabledReason("events:send");
  const dispatch = useChange<unknown, SourceEvent>({
    run: (event, send) => send("POST", "/v1/events/dispatch", { source: source.id, ...(event as object) }),
    done: ({ started, duplicate }) =>
      duplicate ? "Duplicate event: nothing started" : `Dispatched: ${plural(started, "run")} started`,
    invalidates: [`/v1/event-sources/${source.id}/events`, "/v1/runs", "/v1/workflow-runs"],
  });
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-3">
        <JsonEditor
          label="Event"
          rows={16}
          value={text}
          onChange={setText}
          issues={tested?.errors.map(({ location, message }) => ({
            location: location.replace(/^body\./, ""),
            message,
          }))}
        />
        <p className="text-ink-3 text-xs">The result is updated while you type. Nothing is started or stored.</p>
        <div>
          <Button
            icon={<Send size={14} />}
            busy={dispatch.isPending}
            disabledReason={noScope ?? (read.ok ? undefined : "The event is not valid JSON.")}
            onClick={() => read.ok && dispatch.mutate(read.value)}
          >
            Dispatch event
          </Button>
        </div>
      </div>
      <Verdicts tested={tested} />
    </div>
  );
}

function Verdicts({ tested }: { tested: EventTested | undefined }) {
  const nameOf = useTargetName();
  if (!tested) return null;
  if (tested.subscriptions.length === 0) {
    return (
      <EmptyState small title="No subscriptions">
        The source starts nothing until it has one.
      </EmptyState>
    );
  }
  return (
    <section aria-label="Result" aria-live="polite" className="flex min-w-0 flex-col gap-2">
      <p className="text-ink-2">
        {plural(tested.subscriptions.filter(({ would_start }) => would_start).length, "run")} would start
      </p>
      <ul className="card divide-y">
        {tested.subscriptions.map((each) => (
          <li key={each.subscription_id} className="flex flex-col gap-1 px-4 py-2">
            <span className="flex flex-wrap items-center gap-2">
              <StatusMark {...markOf(each)} />
              <span className="font-medium">{nameOf(each)}</span>
            </span>
            <span className="break-words text-ink-2 text-xs">{each.error?.message ?? each.reason}</span>
            {each.would_start && <Json value={each.payload} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function markOf({ would_start, matched, error }: EventTested["subscriptions"][number]) {
  if (error) return { status: "failed", label: "Fails" };
  if (would_start) return { status: "ok", label: "Starts" };
  return matched ? { status: "blocked", label: "Matches, starts nothing" } : { status: "skipped", label: "No match" };
}
