import type { CreateSchedule as Body, Schedule } from "@millrace/contract/schedules";
import { OVERLAP_POLICIES } from "@millrace/contract/schedules";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { JsonEditor, readJson } from "../../parts/code/json-editor.tsx";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { invalidJson } from "../../parts/state/messages.ts";
import { cronWords } from "../cron-words.ts";
import { idOf, type Target } from "./target.ts";

const WORDS: Record<string, string> = {
  allow: "Start another run",
  skip: "Skip this run",
  cancel_running: "Cancel running runs first",
};
const OVERLAPS = OVERLAP_POLICIES.map((policy): Choice => [policy, WORDS[policy] ?? policy]);

/** A schedule with a payload for a job or a workflow. */
export function CreateSchedule({ target, onClose }: { target: Target; onClose: () => void }) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [form, setForm] = useState({ name: "", cron: "0 6 * * 1-5", timezone: zone, overlap_policy: "allow" });
  const [payload, setPayload] = useState("{}");
  const read = readJson(payload);
  const set = (changes: Partial<typeof form>) => setForm((before) => ({ ...before, ...changes }));
  const create = useChange<Body, Schedule>({
    run: (body, send) => send<Schedule>("POST", "/v1/schedules", body),
    done: "Schedule added",
    invalidates: ["/v1/schedules"],
    onDone: onClose,
  });
  const submit = async () => {
    const { name, ...times } = form;
    const named = name.trim() === "" ? {} : { name: name.trim() };
    const given = read.ok ? read.value : {};
    await create.mutateAsync({ ...times, ...named, ...idOf(target), payload: given } as Body);
  };
  return (
    <FormDialog
      onClose={onClose}
      title="Add schedule"
      description={`Starts ${target.name} on a schedule.`}
      action="Add schedule"
      disabledReason={read.ok ? undefined : invalidJson("payload")}
      onSubmit={submit}
    >
      <TextField label="Name" hint="Optional." value={form.name} onChange={(name) => set({ name })} />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="Cron" hint={cronWords(form.cron)} mono value={form.cron} onChange={(cron) => set({ cron })} />
        <TextField label="Time zone" value={form.timezone} onChange={(timezone) => set({ timezone })} />
      </div>
      <ChoiceField
        label="If a previous run is still running"
        choices={OVERLAPS}
        value={form.overlap_policy}
        onChange={(overlap_policy) => set({ overlap_policy })}
      />
      <JsonEditor label="Payload" value={payload} onChange={setPayload} rows={5} />
    </FormDialog>
  );
}
