import type { UpdateWorkflow, Workflow } from "@millrace/contract/workflows/workflows";
import { useMemo, useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { Button } from "../../parts/form/button.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { SaveDialog } from "./versions/save-dialog.tsx";

type Text = "name" | "description" | "cron" | "timezone";
type Amount = "timeout_secs" | "max_parallel_steps" | "max_concurrent_runs";

const TEXTS: { field: Text; label: string; hint?: string }[] = [
  { field: "name", label: "Name" },
  { field: "description", label: "Description" },
  { field: "cron", label: "Cron", hint: "Cron expression, for example */15 * * * *. Leave empty for no schedule." },
  { field: "timezone", label: "Time zone" },
];
const AMOUNTS: { field: Amount; label: string; hint: string }[] = [
  { field: "timeout_secs", label: "Run timeout (seconds)", hint: "Creates a new version." },
  { field: "max_parallel_steps", label: "Max. parallel steps", hint: "Creates a new version." },
  { field: "max_concurrent_runs", label: "Max. concurrent runs", hint: "Takes effect immediately." },
];

type Form = Record<Text | Amount, string>;

/** Settings, saved after a review of the changes. Steps are changed in the editor. */
export function SettingsTab({ workflow }: { workflow: Workflow }) {
  const before = useMemo(() => formOf(workflow), [workflow]);
  const [form, setForm] = useState(before);
  const [isSaving, setSaving] = useState(false);
  const noWrite = useDisabledReason("workflows:write");
  const changes = useMemo(() => changesIn(before, form), [before, form]);
  const isChanged = Object.keys(changes).length > 0;
  const set = (field: keyof Form) => (value: string) => setForm({ ...form, [field]: value });
  const disabledReason = noWrite ?? (isChanged ? undefined : "No changes to save.");
  return (
    <div className="flex max-w-4xl flex-col gap-5">
      <div className="grid gap-4 sm:grid-cols-2">
        {TEXTS.map(({ field, label, hint }) => (
          <TextField key={field} label={label} hint={hint} value={form[field]} onChange={set(field)} />
        ))}
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        {AMOUNTS.map(({ field, label, hint }) => (
          <TextField
            key={field}
            label={label}
            hint={hint}
            type="number"
            min={1}
            placeholder="no limit"
            value={form[field]}
            onChange={set(field)}
          />
        ))}
      </div>
      <div className="flex gap-2">
        <Button kind="primary" disabledReason={disabledReason} onClick={() => setSaving(true)}>
          Review and save
        </Button>
        <Button disabled={!isChanged} onClick={() => setForm(before)}>
          Discard changes
        </Button>
      </div>
      {isSaving && <SaveDialog workflow={workflow} changes={changes} onClose={() => setSaving(false)} />}
    </div>
  );
}

function formOf(workflow: Workflow): Form {
  const text = (value: string | number | null) => (value === null ? "" : String(value));
  return {
    name: workflow.name,
    description: text(workflow.description),
    cron: text(workflow.cron),
    timezone: workflow.timezone,
    timeout_secs: text(workflow.timeout_secs),
    max_parallel_steps: text(workflow.max_parallel_steps),
    max_concurrent_runs: text(workflow.max_concurrent_runs),
  };
}

/** Only changed fields. */
function changesIn(before: Form, form: Form): UpdateWorkflow {
  const changed = (field: keyof Form) => form[field] !== before[field];
  const texts = TEXTS.filter(({ field }) => changed(field)).map(({ field }) => [field, textOf(field, form[field])]);
  const amounts = AMOUNTS.filter(({ field }) => changed(field)).map(({ field }) => [
    field,
    form[field] === "" ? null : Number(form[field]),
  ]);
  return Object.fromEntries([...texts, ...amounts]) as UpdateWorkflow;
}

function textOf(field: Text, value: string): string | null {
  return value === "" && (field === "description" || field === "cron") ? null : value;
}
