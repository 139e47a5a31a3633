import type { CreateSchedule, Schedule } from "@millrace/contract/jobs/schedules";
import { OVERLAP_POLICIES } from "@millrace/contract/jobs/schedules";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { JsonEditor, printJson, readJson } from "../../parts/code/json-editor.tsx";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { invalidJson } from "../../parts/state/messages.ts";
import { cronWords } from "../cron-words.ts";
import { EnvironmentChoice } from "../shared-forms/environment-choice.tsx";
import { idOf, type Target } from "./target.ts";
import { TargetChoice } from "./target-choice.tsx";

const WORDS: Record<string, string> = {
  allow: "Start another run",
  skip: "Skip this run",
  cancel_running: "Cancel running runs first",
};
const OVERLAPS = OVERLAP_POLICIES.map((policy): Choice => [policy, WORDS[policy] ?? policy]);

type Props = {
  /** Undefined: a new one. */
  schedule: Schedule | undefined;
  /** The job or workflow of a new schedule; otherwise it is chosen. */
  target?: Target;
  onClose: () => void;
};

/** Creates a schedule with a payload for a job or a workflow, or changes one. */
export function ScheduleDialog({ schedule, target: given, onClose }: Props) {
  const [form, setForm] = useState(() => formOf(schedule));
  const [payload, setPayload] = useState(() => printJson(schedule?.payload ?? {}));
  const [chosen, setChosen] = useState(given);
  const read = readJson(payload);
  const set = (changes: Partial<typeof form>) => setForm((before) => ({ ...before, ...changes }));
  const save = useChange<CreateSchedule, Schedule>({
    run: (body, send) =>
      schedule ? send("PATCH", `/v1/schedules/${schedule.id}`, body) : send("POST", "/v1/schedules", body),
    done: schedule ? "Schedule saved" : "Schedule added",
    invalidates: ["/v1/schedules"],
    onDone: onClose,
  });
  const submit = () => {
    const { name, environment_id, ...times } = form;
    const place = { environment_id: environment_id || null };
    const own = schedule ? place : { ...(environment_id && place), ...(chosen && idOf(chosen)) };
    return save.mutateAsync({
      ...times,
      ...own,
      name: name.trim() || null,
      payload: read.ok ? read.value : {},
    } as CreateSchedule);
  };
  const noTarget = !schedule && !chosen ? "Choose a job or a workflow." : undefined;
  return (
    <FormDialog
      onClose={onClose}
      title={schedule ? "Edit schedule" : "Create schedule"}
      description={given ? `Starts ${given.name} on a schedule.` : undefined}
      action={schedule ? "Save schedule" : "Create schedule"}
      disabledReason={read.ok ? noTarget : invalidJson("payload")}
      onSubmit={submit}
    >
      {!schedule && !given && <TargetChoice target={chosen} onChange={setChosen} />}
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
      <EnvironmentChoice
        none="Same as the job or workflow"
        value={form.environment_id}
        onChange={(environment_id) => set({ environment_id })}
      />
      <JsonEditor label="Payload" value={payload} onChange={setPayload} rows={5} />
    </FormDialog>
  );
}

function formOf(schedule: Schedule | undefined) {
  return {
    name: schedule?.name ?? "",
    cron: schedule?.cron ?? "0 6 * * 1-5",
    timezone: schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    overlap_policy: (schedule?.overlap_policy ?? "allow") as string,
    environment_id: schedule?.environment_id ?? "",
  };
}
