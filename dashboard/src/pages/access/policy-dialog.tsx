import { POLICY_RESOURCES, type ResourcePolicy, type TagPolicy } from "@millrace/contract/policies";
import { SCOPES } from "@millrace/contract/scopes";
import { type FormEvent, useId, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FormField } from "../../parts/form-field.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { bodyOf, formOf, type PolicyForm, pathOf } from "./policy-form.ts";
import { useSubjects } from "./use-subjects.ts";

const EFFECTS = [
  { id: "deny", label: "Deny" },
  { id: "allow", label: "Allow" },
];
const TARGETS = [
  { id: "resource", label: "One object" },
  { id: "tag", label: "All with a tag" },
];

type Props = { policy?: ResourcePolicy | TagPolicy | undefined; onClose: () => void };

/** A policy to create or to change. What it is about, an object or a tag, stays. */
export function PolicyDialog({ policy, onClose }: Props) {
  const [form, setForm] = useState(() => formOf(policy));
  const set = (changes: Partial<PolicyForm>) => setForm((before) => ({ ...before, ...changes }));
  const save = useChange<PolicyForm>({
    run: (given, send) =>
      policy
        ? send("PATCH", `${pathOf(given)}/${policy.id}`, bodyOf(given))
        : send("POST", pathOf(given), bodyOf(given)),
    done: policy ? "Policy saved; it acts at once" : "Policy created",
    outdates: ["/v1/resource-policies", "/v1/tag-policies"],
    onDone: onClose,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(form);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={policy ? "Change policy" : "Create policy"}
      description="It acts at once. A deny wins over every scope and every allow."
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <div className="flex flex-wrap gap-3">
          <Segments label="Effect" value={form.effect} options={EFFECTS} onChange={(effect) => set({ effect })} />
          {!policy && (
            <Segments label="On" value={form.target} options={TARGETS} onChange={(target) => set({ target })} />
          )}
        </div>
        <PolicyFields form={form} set={set} />
        {save.error && <ErrorState as="banner" error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button
            type="submit"
            kind="primary"
            busy={save.isPending}
            refusal={form.subject && form.actions ? undefined : "Say who and what first."}
          >
            {policy ? "Save policy" : "Create policy"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function PolicyFields({ form, set }: { form: PolicyForm; set: (changes: Partial<PolicyForm>) => void }) {
  const subjects = useSubjects();
  const lists = useId();
  const text = (label: string, name: keyof PolicyForm, hint?: string, list?: string) => (
    <FormField label={label} hint={hint}>
      {(ids) => (
        <input
          {...ids}
          list={list}
          className={name === "description" ? "field" : "field font-mono text-xs"}
          value={form[name]}
          onChange={(event) => set({ [name]: event.target.value })}
        />
      )}
    </FormField>
  );
  return (
    <>
      {text("Who", "subject", "* for everybody, api_key:<id>, member:<subject> or role:<name>", `${lists}-who`)}
      {text("Actions", "actions", "Scopes with commas between, jobs:* for all of an area, * for all", `${lists}-do`)}
      {form.target === "tag" ? (
        <div className="grid grid-cols-2 gap-3">
          {text("Tag", "tag_key")}
          {text("Value", "tag_value", "Empty: whatever it is")}
        </div>
      ) : (
        <div className="grid grid-cols-2 gap-3">
          <FormField label="Kind">
            {(ids) => (
              <select
                {...ids}
                className="field"
                value={form.resource_type}
                onChange={(event) => set({ resource_type: event.target.value })}
              >
                {POLICY_RESOURCES.map((kind) => (
                  <option key={kind} value={kind}>
                    {kind === "*" ? "everything" : kind.replaceAll("_", " ")}
                  </option>
                ))}
              </select>
            )}
          </FormField>
          {text("Id", "resource_id", "* for all of the kind")}
        </div>
      )}
      {text("Why", "description", "For those who read it later.")}
      <datalist id={`${lists}-who`}>
        {subjects.map(({ id, label }) => (
          <option key={id} value={id} label={label} />
        ))}
      </datalist>
      <datalist id={`${lists}-do`}>
        {SCOPES.map((scope) => (
          <option key={scope} value={scope} />
        ))}
      </datalist>
    </>
  );
}
