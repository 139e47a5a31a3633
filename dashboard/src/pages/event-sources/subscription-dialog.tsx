import type { CreateEventSubscription, EventSource, EventSubscription } from "@millrace/contract/events/event-sources";
import { useMemo, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { pathsIn, pathsOfSchema } from "../../parts/code/editor/suggest-paths.ts";
import { JsonEditor, printJson, readJson } from "../../parts/code/json-editor.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { CelEditor } from "../shared-forms/cel-editor.tsx";
import { CheckField } from "../shared-forms/check-field.tsx";
import { EnvironmentChoice } from "../shared-forms/environment-choice.tsx";
import type { Target } from "../shared-schedules/target.ts";
import { TargetChoice } from "../shared-schedules/target-choice.tsx";
import { DraftResult } from "./draft-result.tsx";
import { suggestTemplates } from "./suggest-templates.ts";
import { useEventTest } from "./use-event-test.ts";
import { useLastEvent } from "./use-last-event.ts";

type Props = { source: EventSource; subscription: EventSubscription | undefined; onClose: () => void };

/** Creates or edits a subscription, and tests its filter and template on a sample event as you type. */
export function SubscriptionDialog({ source, subscription, onClose }: Props) {
  const [target, setTarget] = useState<Target>();
  const [filter, setFilter] = useState(subscription?.filter ?? "");
  const [hasPayload, setHasPayload] = useState(subscription !== undefined && subscription.payload !== null);
  const [payload, setPayload] = useState(() => printJson(subscription?.payload ?? { id: "{{event.id}}" }));
  const [key, setKey] = useState(subscription?.concurrency_key ?? "");
  const [environment, setEnvironment] = useState("");
  const [sample, setSample] = useLastEvent(source);
  const read = readJson(payload);
  const event = useMemo(() => readJson(sample), [sample]);
  const template = hasPayload && read.ok ? read.value : null;
  const test = useEventTest(source, event.ok ? event.value : undefined, {
    filter: filter.trim() || null,
    payload: template,
  });
  const paths = useMemo(() => pathsOf(source, event.ok ? event.value : {}), [source, event]);
  const path = `/v1/event-sources/${source.id}/subscriptions`;
  const save = useChange<CreateEventSubscription, EventSubscription>({
    run: (body, send) => (subscription ? send("PATCH", `${path}/${subscription.id}`, body) : send("POST", path, body)),
    done: subscription ? "Subscription saved" : "Subscription added",
    invalidates: [path],
    onDone: onClose,
  });
  const chosen = target && (target.kind === "job" ? { job_id: target.id } : { workflow_id: target.id });
  const body = {
    filter: filter.trim() || null,
    payload: template,
    concurrency_key: key.trim() || null,
    ...(!subscription && { ...chosen, environment_id: environment || null }),
  } as CreateEventSubscription;
  const noTarget = !subscription && !target ? "Choose a job or a workflow." : undefined;
  const filterIssue = test?.draft?.error?.code === "filter_failed" ? test.draft.error.message : undefined;
  return (
    <FormDialog
      onClose={onClose}
      width="wide"
      title={subscription ? "Edit subscription" : "Add subscription"}
      action={subscription ? "Save subscription" : "Add subscription"}
      disabledReason={noTarget ?? (read.ok || !hasPayload ? undefined : "The payload is not valid JSON.")}
      onSubmit={() => save.mutateAsync(body)}
    >
      <div className="grid items-start gap-5 md:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          {!subscription && <TargetChoice target={target} onChange={setTarget} />}
          <CelEditor
            label="Filter"
            hint="CEL expression over payload and event. Leave empty to match every event. Ctrl+Space completes names."
            placeholder="payload.total > 10.0"
            paths={paths}
            issues={filterIssue ? [{ location: "", message: filterIssue }] : undefined}
            value={filter}
            onChange={setFilter}
          />
          <CheckField
            label="Use a custom payload"
            hint="Otherwise runs get the payload of the event."
            checked={hasPayload}
            onChange={setHasPayload}
          />
          {hasPayload && (
            <JsonEditor
              label="Payload template"
              rows={4}
              value={payload}
              onChange={setPayload}
              suggest={(text, caret) => suggestTemplates(text, caret, paths)}
            />
          )}
          <CelEditor
            label="Concurrency key"
            language="template"
            rows={1}
            hint="Optional template: runs with the same key share a limit."
            placeholder="{{payload.customer.id}}"
            paths={paths}
            value={key}
            onChange={setKey}
          />
          {!subscription && (
            <EnvironmentChoice none="Same as the job or workflow" value={environment} onChange={setEnvironment} />
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <JsonEditor label="Sample event" rows={9} value={sample} onChange={setSample} />
          <DraftResult result={test?.draft} />
        </div>
      </div>
    </FormDialog>
  );
}

function pathsOf({ payload_schema }: EventSource, event: unknown): string[] {
  const { payload, metadata } = (event ?? {}) as { payload?: unknown; metadata?: unknown };
  return [
    ...new Set([
      ...pathsIn(payload, "payload"),
      ...pathsOfSchema(payload_schema, "payload"),
      ...["event.id", "event.type", "event.source"],
      ...pathsIn(metadata ?? {}, "event.metadata"),
    ]),
  ];
}
