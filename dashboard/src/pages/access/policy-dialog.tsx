import { POLICY_RESOURCES, type ResourcePolicy, type TagPolicy } from "@millrace/contract/access/policies";
import { SCOPES } from "@millrace/contract/access/scopes";
import { useId, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { bodyOf, formOf, type PolicyForm, pathOf } from "./policy-form.ts";
import { useSubjects } from "./use-subjects.ts";

const EFFECTS = [
  { id: "deny", label: "Deny" },
  { id: "allow", label: "Allow" },
];
const TARGETS = [
  { id: "resource", label: "One object" },
  { id: "tag", label: "Objects with a tag" },
];

const KINDS = POLICY_RESOURCES.map((kind): Choice => [kind, kind === "*" ? "everything" : kind.replaceAll("_", " ")]);

type Props = { policy?: ResourcePolicy | TagPolicy | undefined; onClose: () => void };

/** Creates or edits a policy. Its target type, object or tag, cannot change. */
export function PolicyDialog({ policy, onClose }: Props) {
  const [form, setForm] = useState(() => formOf(policy));
  const set = (changes: Partial<PolicyForm>) => setForm((before) => ({ ...before, ...changes }));
  const save = useChange<PolicyForm>({
    run: (given, send) =>
      policy
        ? send("PATCH", `${pathOf(given)}/${policy.id}`, bodyOf(given))
        : send("POST", pathOf(given), bodyOf(given)),
    done: policy ? "Policy saved" : "Policy created",
    invalidates: ["/v1/resource-policies", "/v1/tag-policies"],
    onDone: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={policy ? "Edit policy" : "Create policy"}
      description="Takes effect immediately. A deny overrides every scope and every allow."
      action={policy ? "Save policy" : "Create policy"}
      disabledReason={form.subject && form.actions ? undefined : "Enter a subject and at least one action."}
      onSubmit={() => save.mutateAsync(form)}
    >
      <div className="flex flex-wrap gap-3">
        <Segments label="Effect" value={form.effect} options={EFFECTS} onChange={(effect) => set({ effect })} />
        {!policy && (
          <Segments label="Applies to" value={form.target} options={TARGETS} onChange={(target) => set({ target })} />
        )}
      </div>
      <PolicyFields form={form} set={set} />
    </FormDialog>
  );
}

type FieldProps = { form: PolicyForm; set: (changes: Partial<PolicyForm>) => void };

function PolicyFields({ form, set }: FieldProps) {
  const [who, actions] = [useId(), useId()];
  return (
    <>
      <TextField
        label="Subject"
        hint="* for everyone, api_key:<id>, member:<subject> or role:<name>"
        mono="small"
        list={who}
        value={form.subject}
        onChange={(subject) => set({ subject })}
      />
      <TextField
        label="Actions"
        hint="Comma-separated scopes; jobs:* for a whole area, * for all"
        mono="small"
        list={actions}
        value={form.actions}
        onChange={(given) => set({ actions: given })}
      />
      <div className="grid grid-cols-2 gap-3">
        {form.target === "tag" ? <OnTag form={form} set={set} /> : <OnObject form={form} set={set} />}
      </div>
      <TextField
        label="Description"
        hint="Optional. Why this policy exists."
        value={form.description}
        onChange={(description) => set({ description })}
      />
      <Offers who={who} actions={actions} />
    </>
  );
}

function OnTag({ form, set }: FieldProps) {
  return (
    <>
      <TextField label="Tag" mono="small" value={form.tag_key} onChange={(tag_key) => set({ tag_key })} />
      <TextField
        label="Value"
        hint="Leave empty to match any value"
        mono="small"
        value={form.tag_value}
        onChange={(tag_value) => set({ tag_value })}
      />
    </>
  );
}

function OnObject({ form, set }: FieldProps) {
  return (
    <>
      <ChoiceField
        label="Type"
        choices={KINDS}
        value={form.resource_type}
        onChange={(resource_type) => set({ resource_type })}
      />
      <TextField
        label="Id or slug"
        hint="* for all of this type"
        mono="small"
        value={form.resource_id}
        onChange={(resource_id) => set({ resource_id })}
      />
    </>
  );
}

/** Options that the browser suggests while typing. */
function Offers({ who, actions }: { who: string; actions: string }) {
  const subjects = useSubjects();
  return (
    <>
      <datalist id={who}>
        {subjects.map(({ id, label }) => (
          <option key={id} value={id} label={label} />
        ))}
      </datalist>
      <datalist id={actions}>
        {SCOPES.map((scope) => (
          <option key={scope} value={scope} />
        ))}
      </datalist>
    </>
  );
}
