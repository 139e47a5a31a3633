import type { Job } from "@millrace/contract/jobs/jobs";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { JsonEditor, printJson, readJson } from "../../parts/code/json-editor.tsx";
import { ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { invalidJson } from "../../parts/state/messages.ts";
import { Segments } from "../../parts/tabs.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { DELIVERY_CHOICES, useQueueChoices } from "./settings/delivery-choices.ts";

const TEMPLATES = {
  http: { max_attempts: 3, timeout_secs: 300 },
  cron: { cron: "0 6 * * *", timezone: "UTC", cron_overlap_policy: "skip", max_attempts: 3 },
  webhook: { max_attempts: 5, dedup_window_secs: 3600, payload_schema: { type: "object" } },
  agent: { timeout_secs: 3600, heartbeat_timeout_secs: 120, max_attempts: 2, max_cost_microusd: 1_000_000 },
};
export type JobTemplate = keyof typeof TEMPLATES;
export const JOB_TEMPLATES: { id: JobTemplate; label: string }[] = [
  { id: "http", label: "HTTP" },
  { id: "cron", label: "Scheduled" },
  { id: "webhook", label: "Webhook" },
  { id: "agent", label: "Agent" },
];

/** A new job from a template: name, endpoint and editable settings. */
export function CreateJob({ from = "http", onClose }: { from?: JobTemplate; onClose: () => void }) {
  const [template, setTemplate] = useState(from);
  const [text, setText] = useState(printJson(TEMPLATES[from]));
  const { at } = usePlace();
  const { history } = useRouter();
  const create = useChange<object, Job>({
    run: (body, send) => send("POST", "/v1/jobs", body),
    done: "Job created",
    invalidates: ["/v1/jobs"],
  });
  const read = readJson(text);
  const submit = async (form: FormData) => {
    const settings = read.ok ? (read.value as object) : {};
    const job = await create.mutateAsync({ ...settings, ...Object.fromEntries(form) });
    onClose();
    history.push(at(`jobs/${job.id}`, { tab: "test" }));
  };
  const take = (id: JobTemplate) => {
    setTemplate(id);
    setText(printJson(TEMPLATES[id]));
  };
  return (
    <FormDialog
      onClose={onClose}
      title="Create job"
      action="Create job"
      disabledReason={read.ok ? undefined : invalidJson("configuration")}
      onSubmit={submit}
    >
      <div>
        <Segments label="Template" value={template} options={JOB_TEMPLATES} onChange={take} />
      </div>
      <TextField label="Name" name="name" required maxLength={200} autoComplete="off" />
      <DeliveryFields />
      <JsonEditor label="Settings" value={text} onChange={setText} rows={7} />
    </FormDialog>
  );
}

/** Only pushed runs need an endpoint. */
function DeliveryFields() {
  const [delivery, setDelivery] = useState("push");
  const queues = useQueueChoices("default");
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceField
          label="Delivery"
          name="delivery"
          choices={DELIVERY_CHOICES}
          value={delivery}
          onChange={setDelivery}
          hint={delivery === "pull" ? "Workers claim the runs. They need no open port." : undefined}
        />
        <ChoiceField label="Queue" name="queue" choices={queues} />
      </div>
      {delivery === "push" && (
        <TextField
          label="Endpoint"
          hint="Millrace sends each run to this URL. Check it with `millrace doctor URL`."
          name="endpoint_url"
          type="url"
          required
          placeholder="https://"
          mono
        />
      )}
    </>
  );
}
