import { STEP_TYPES } from "@millrace/contract/workflows/step-runs";
import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import { Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { suggestPaths } from "../../../parts/code/editor/suggest-paths.ts";
import { JsonEditor, printJson, readJson } from "../../../parts/code/json-editor.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { type Choice, ChoiceField } from "../../../parts/form/choice-field.tsx";
import { TextField } from "../../../parts/form/text-field.tsx";
import { CelEditor } from "../../shared-forms/cel-editor.tsx";
import { effectOf, kindOf } from "../../shared-workflows/step-kinds.ts";
import { type StepType, withField, withType } from "./change-steps.ts";
import { ParentChoice } from "./parent-choice.tsx";

export type Slugs = { jobs: readonly string[]; workflows: readonly string[] };

type Props = {
  step: StepInput;
  /** Names that conditions and templates can read. */
  paths: readonly string[];
  parents: readonly string[];
  slugs: Slugs;
  onChange: (step: StepInput) => void;
  onRemove: () => void;
};

const TYPES = STEP_TYPES.map((type): Choice => [type, kindOf(type).label]);
const EFFECTS = ["fail_workflow", "skip_dependents", "continue"].map((effect): Choice => [effect, effectOf(effect)]);

/** One step: its name, what it waits for, and the fields of its type. */
export function StepForm({ step, paths, parents, slugs, onChange, onRemove }: Props) {
  const set = <F extends keyof StepInput>(field: F, value: StepInput[F]) => onChange(withField(step, field, value));
  const type = (step.type ?? "job") as StepType;
  return (
    <section aria-label={`Step ${step.step_ref}`} className="card flex flex-col gap-4 p-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <StepName key={step.step_ref} name={step.step_ref} onRename={(step_ref) => onChange({ ...step, step_ref })} />
        <ChoiceField
          label="Type"
          choices={TYPES}
          value={type}
          onChange={(next) => onChange(withType(step, next as StepType, slugs.jobs[0] ?? ""))}
        />
      </div>
      <ParentChoice parents={parents} chosen={step.depends_on ?? []} onChange={(names) => set("depends_on", names)} />
      <TypeFields type={type} step={step} paths={paths} slugs={slugs} set={set} />
      <CelEditor
        label="Condition"
        hint="CEL expression. If it is false when the step is ready to start, the step is skipped."
        paths={paths}
        value={step.condition ?? ""}
        onChange={(condition) => set("condition", condition)}
      />
      <ChoiceField
        label="If it fails"
        choices={EFFECTS}
        value={step.on_failure ?? "fail_workflow"}
        onChange={(effect) => set("on_failure", effect === "fail_workflow" ? undefined : (effect as "continue"))}
      />
      <div>
        <Button size="small" icon={<Trash2 size={13} />} onClick={onRemove}>
          Remove step
        </Button>
      </div>
    </section>
  );
}

/** Applied on blur: while you type, the name is incomplete. */
function StepName({ name, onRename }: { name: string; onRename: (name: string) => void }) {
  const [text, setText] = useState(name);
  return (
    <TextField
      label="Name"
      mono
      maxLength={64}
      pattern="[A-Za-z0-9][A-Za-z0-9_\-]*"
      autoComplete="off"
      value={text}
      onChange={setText}
      onBlur={() => text !== name && text !== "" && onRename(text)}
      onKeyDown={(event) => event.key === "Enter" && text !== "" && onRename(text)}
    />
  );
}

type FieldsProps = Pick<Props, "step" | "paths" | "slugs"> & {
  type: StepType;
  set: <F extends keyof StepInput>(field: F, value: StepInput[F]) => void;
};

function TypeFields({ type, step, paths, slugs, set }: FieldsProps) {
  const template = { language: "template" as const, paths };
  const jobs = <RefField label="Job" names={slugs.jobs} value={step.job_id} onChange={(id) => set("job_id", id)} />;
  const timeout = (
    <NumberField label="Timeout (seconds)" value={step.timeout_secs} onChange={(secs) => set("timeout_secs", secs)} />
  );
  const payload = <PayloadField key={step.step_ref} step={step} paths={paths} set={set} />;
  if (type === "wait_for_event") {
    return (
      <>
        <CelEditor
          label="Event key"
          rows={1}
          {...template}
          value={step.event_key ?? ""}
          onChange={(key) => set("event_key", key)}
        />
        {timeout}
      </>
    );
  }
  if (type === "sleep") {
    return (
      <TextField
        label="Duration"
        hint="For example 30s, 5m, 1h30m or 168h."
        mono
        value={step.sleep_duration ?? ""}
        onChange={(duration) => set("sleep_duration", duration)}
      />
    );
  }
  if (type === "approval") {
    return (
      <>
        <CelEditor
          label="Message"
          rows={2}
          {...template}
          value={step.message ?? ""}
          onChange={(text) => set("message", text)}
        />
        {timeout}
      </>
    );
  }
  if (type === "sub_workflow") {
    return (
      <>
        <RefField
          label="Workflow"
          names={slugs.workflows}
          value={step.workflow_id}
          onChange={(id) => set("workflow_id", id)}
        />
        {payload}
      </>
    );
  }
  if (type === "map") {
    return (
      <>
        <CelEditor
          label="Items"
          rows={1}
          {...template}
          value={textOf(step.items)}
          onChange={(items) => set("items", items)}
        />
        {jobs}
        <NumberField
          label="Max. items at a time"
          value={step.max_parallel}
          onChange={(count) => set("max_parallel", count)}
        />
        {payload}
      </>
    );
  }
  return (
    <>
      {jobs}
      <div className="grid gap-4 sm:grid-cols-2">
        {timeout}
        <NumberField label="Max. attempts" value={step.max_attempts} onChange={(count) => set("max_attempts", count)} />
      </div>
      {payload}
    </>
  );
}

function textOf(items: unknown): string {
  return typeof items === "string" ? items : JSON.stringify(items ?? "");
}

type RefProps = {
  label: string;
  names: readonly string[];
  value: string | undefined;
  onChange: (name: string) => void;
};

function RefField({ label, names, value = "", onChange }: RefProps) {
  const known = names.includes(value) ? names : [value, ...names];
  return (
    <ChoiceField
      label={label}
      choices={known.map((name): Choice => [name, name || `Choose a ${label.toLowerCase()}`])}
      value={value}
      onChange={onChange}
    />
  );
}

type NumberProps = { label: string; value: number | null | undefined; onChange: (value: number | undefined) => void };

function NumberField({ label, value, onChange }: NumberProps) {
  return (
    <TextField
      label={label}
      type="number"
      min={1}
      placeholder="default"
      value={value ?? ""}
      onChange={(text) => onChange(text === "" ? undefined : Number(text))}
    />
  );
}

/** Valid JSON is applied at once. */
function PayloadField({ step, paths, set }: Pick<FieldsProps, "step" | "paths" | "set">) {
  const [text, setText] = useState(() => (step.payload === undefined ? "" : printJson(step.payload)));
  const stored = JSON.stringify(step.payload);
  useEffect(() => {
    setText((before) => {
      const read = before.trim() === "" ? { ok: true as const, value: undefined } : readJson(before);
      return read.ok && JSON.stringify(read.value) !== stored
        ? stored === undefined
          ? ""
          : printJson(JSON.parse(stored))
        : before;
    });
  }, [stored]);
  const write = (next: string) => {
    setText(next);
    const read = next.trim() === "" ? { ok: true as const, value: undefined } : readJson(next);
    if (read.ok) set("payload", read.value);
  };
  return (
    <JsonEditor
      label="Payload template"
      rows={3}
      value={text}
      onChange={write}
      suggest={(given, caret) => suggestPaths(given, caret, paths, "json")}
    />
  );
}
