import type { CreateSchedule as Body, Schedule } from "@millrace/contract/schedules";
import { OVERLAP_POLICIES } from "@millrace/contract/schedules";
import type { Workflow } from "@millrace/contract/workflows";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FormField } from "../../parts/form-field.tsx";
import { JsonEditor, readJson } from "../../parts/json-editor.tsx";
import { cronWords } from "../cron-words.ts";

const OVERLAPS: Record<string, string> = {
  allow: "start another run",
  skip: "start none",
  cancel_running: "cancel those first",
};

/** Times at which the workflow is started, with a payload. */
export function CreateSchedule({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [form, setForm] = useState({ name: "", cron: "0 6 * * 1-5", timezone: zone, overlap_policy: "allow" });
  const [payload, setPayload] = useState("{}");
  const read = readJson(payload);
  const set = (changes: Partial<typeof form>) => setForm((before) => ({ ...before, ...changes }));
  const create = useChange<Body, Schedule>({
    run: (body, send) => send<Schedule>("POST", "/v1/schedules", body),
    done: "Schedule added",
    outdates: ["/v1/schedules"],
    onDone: onClose,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!read.ok) return;
    const name = form.name.trim() === "" ? {} : { name: form.name.trim() };
    const { name: _, ...times } = form;
    create.mutate({ ...times, ...name, workflow_id: workflow.id, payload: read.value } as Body);
  };
  const text = (label: string, field: "name" | "cron" | "timezone", hint?: string) => (
    <FormField label={label} hint={hint}>
      {(ids) => (
        <input
          {...ids}
          className={field === "cron" ? "field font-mono" : "field"}
          value={form[field]}
          onChange={(event) => set({ [field]: event.target.value })}
        />
      )}
    </FormField>
  );
  return (
    <Dialog open onClose={onClose} title="Add schedule" description={`Starts ${workflow.name} at these times.`}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {text("Name", "name", "May be left empty.")}
        <div className="grid gap-3 sm:grid-cols-2">
          {text("Cron", "cron", cronWords(form.cron))}
          {text("Zone", "timezone")}
        </div>
        <FormField label="While a run of it has not ended">
          {(ids) => (
            <select
              {...ids}
              className="field"
              value={form.overlap_policy}
              onChange={(event) => set({ overlap_policy: event.target.value })}
            >
              {OVERLAP_POLICIES.map((policy) => (
                <option key={policy} value={policy}>
                  {OVERLAPS[policy] ?? policy}
                </option>
              ))}
            </select>
          )}
        </FormField>
        <JsonEditor label="Payload" value={payload} onChange={setPayload} rows={5} />
        {create.error && <ErrorState as="banner" error={create.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button
            type="submit"
            kind="primary"
            busy={create.isPending}
            refusal={read.ok ? undefined : "The payload is not JSON."}
          >
            Add schedule
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
