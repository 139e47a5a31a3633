import type { Job } from "@millrace/contract/jobs";
import { useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FormField } from "../../parts/form-field.tsx";
import { JsonEditor, printJson, readJson } from "../../parts/json-editor.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { usePlace } from "../../shell/place.ts";

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

/** A new job from a template: what it is called, where it lives, and settings that can be changed before. */
export function CreateJob({ from = "http", onClose }: { from?: JobTemplate; onClose: () => void }) {
  const [template, setTemplate] = useState(from);
  const [text, setText] = useState(printJson(TEMPLATES[from]));
  const [error, setError] = useState<unknown>();
  const { at } = usePlace();
  const { history } = useRouter();
  const create = useChange<object, Job>({
    run: (body, send) => send("POST", "/v1/jobs", body),
    done: "Job created",
    outdates: ["/v1/jobs"],
  });
  const read = readJson(text);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!read.ok) return;
    setError(undefined);
    const named = Object.fromEntries(new FormData(event.currentTarget));
    try {
      const job = await create.mutateAsync({ ...(read.value as object), ...named });
      onClose();
      history.push(at(`jobs/${job.id}`, { tab: "test" }));
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Dialog open onClose={onClose} title="Create job">
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <div>
          <Segments
            label="Template"
            value={template}
            options={JOB_TEMPLATES}
            onChange={(id) => {
              setTemplate(id);
              setText(printJson(TEMPLATES[id]));
            }}
          />
        </div>
        <FormField label="Name">
          {(ids) => <input {...ids} name="name" required maxLength={200} autoComplete="off" className="field" />}
        </FormField>
        <FormField label="Endpoint" hint="Millrace sends each run there. `millrace doctor URL` tells whether it can.">
          {(ids) => (
            <input
              {...ids}
              name="endpoint_url"
              type="url"
              required
              placeholder="https://"
              className="field font-mono"
            />
          )}
        </FormField>
        <JsonEditor label="Settings" value={text} onChange={setText} rows={7} />
        {error !== undefined && <ErrorState error={error} as="banner" />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button
            type="submit"
            kind="primary"
            busy={create.isPending}
            refusal={read.ok ? undefined : "The settings are not JSON."}
          >
            Create job
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
