import type {
  CreateWebhookSubscription,
  WebhookSubscription,
} from "@millrace/contract/deliveries/webhook-subscriptions";
import { useState } from "react";
import { asProblem } from "../../api/problem.ts";
import { useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { CelEditor } from "../shared-forms/cel-editor.tsx";
import { EnvironmentChoice } from "../shared-forms/environment-choice.tsx";
import { HeaderRows, headersOf, recordOf } from "../shared-forms/header-rows.tsx";
import { EventChoice } from "./event-choice.tsx";

const PATH = "/v1/webhook-subscriptions";
const FILTER_PATHS = [
  ...["id", "type", "created_at", "project_id", "environment_id"].map((name) => `event.${name}`),
  ...["id", "status", "job_id", "workflow_id", "tags", "payload", "trigger_type", "error.code", "error.message"].map(
    (name) => `event.data.${name}`,
  ),
];

/** Creates a subscription, or changes one. */
export function SubscriptionDialog({
  subscription,
  onClose,
}: {
  subscription: WebhookSubscription | undefined;
  onClose: () => void;
}) {
  const [url, setUrl] = useState(subscription?.url ?? "");
  const [description, setDescription] = useState(subscription?.description ?? "");
  const [events, setEvents] = useState<string[]>(subscription?.events ?? ["run.failed"]);
  const [filter, setFilter] = useState(subscription?.filter ?? "");
  const [headers, setHeaders] = useState(() => headersOf(subscription?.headers ?? {}));
  const [environment, setEnvironment] = useState(subscription?.environment_id ?? "");
  const save = useChange<CreateWebhookSubscription, WebhookSubscription>({
    run: (body, send) => (subscription ? send("PATCH", `${PATH}/${subscription.id}`, body) : send("POST", PATH, body)),
    done: subscription ? "Subscription saved" : "Subscription created",
    invalidates: [PATH],
    onDone: onClose,
  });
  const body = {
    url: url.trim(),
    events,
    description: description.trim() || null,
    filter: filter.trim() || null,
    headers: recordOf(headers),
    environment_id: environment || null,
  } as CreateWebhookSubscription;
  return (
    <FormDialog
      onClose={onClose}
      title={subscription ? "Edit subscription" : "Create subscription"}
      description="Events are posted as signed JSON, and retried if the receiver does not answer with 2xx."
      action={subscription ? "Save subscription" : "Create subscription"}
      disabledReason={events.length === 0 ? "Choose at least one event." : undefined}
      onSubmit={() => save.mutateAsync(body)}
    >
      <TextField
        label="URL"
        type="url"
        required
        maxLength={2_048}
        placeholder="https://example.com/hooks"
        autoComplete="off"
        mono="small"
        value={url}
        onChange={setUrl}
      />
      <TextField label="Description" autoComplete="off" value={description} onChange={setDescription} />
      <EventChoice events={events} onChange={setEvents} />
      <CelEditor
        label="Filter"
        hint="Optional CEL expression over event: only matching events are delivered. Ctrl+Space completes names."
        placeholder={'event.data.tags.team == "billing"'}
        paths={FILTER_PATHS}
        issues={issuesOf(save.error)}
        value={filter}
        onChange={setFilter}
      />
      <EnvironmentChoice none="All environments" value={environment} onChange={setEnvironment} />
      <HeaderRows headers={headers} onChange={setHeaders} />
    </FormDialog>
  );
}

/** The service's error for the filter. */
function issuesOf(error: unknown) {
  if (!error) return undefined;
  return asProblem(error)
    .errors.filter(({ location }) => location === "body.filter")
    .map(({ message }) => ({ location: "", message }));
}
