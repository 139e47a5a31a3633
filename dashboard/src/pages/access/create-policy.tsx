import { POLICY_RESOURCES } from "@millrace/contract/policies";
import { SCOPES } from "@millrace/contract/scopes";
import { type FormEvent, useId, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FormField } from "../../parts/form-field.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useSubjects } from "./use-subjects.ts";

const EFFECTS = [
  { id: "deny", label: "Deny" },
  { id: "allow", label: "Allow" },
];
const TARGETS = [
  { id: "resource", label: "One object" },
  { id: "tag", label: "All with a tag" },
];

export function CreatePolicy({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState({
    effect: "deny",
    target: "resource",
    subject: "",
    actions: "",
    resource_type: "job",
    resource_id: "*",
    tag_key: "",
    tag_value: "",
  });
  const set = (changes: Partial<typeof form>) => setForm((before) => ({ ...before, ...changes }));
  const subjects = useSubjects();
  const lists = useId();
  const create = useChange<typeof form>({
    run: ({ target }, send) =>
      send("POST", target === "tag" ? "/v1/tag-policies" : "/v1/resource-policies", bodyOf(form)),
    done: "Policy created",
    outdates: ["/v1/resource-policies", "/v1/tag-policies"],
    onDone: onClose,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(form);
  };
  const text = (label: string, name: keyof typeof form, hint?: string, list?: string) => (
    <FormField label={label} hint={hint}>
      {(ids) => (
        <input
          {...ids}
          list={list}
          className="field font-mono text-xs"
          value={form[name]}
          onChange={(event) => set({ [name]: event.target.value })}
        />
      )}
    </FormField>
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title="Create policy"
      description="It acts at once. A deny wins over every scope and every allow."
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <div className="flex flex-wrap gap-3">
          <Segments label="Effect" value={form.effect} options={EFFECTS} onChange={(effect) => set({ effect })} />
          <Segments label="On" value={form.target} options={TARGETS} onChange={(target) => set({ target })} />
        </div>
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
        {create.error && <ErrorState as="banner" error={create.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button
            type="submit"
            kind="primary"
            busy={create.isPending}
            refusal={form.subject && form.actions ? undefined : "Say who and what first."}
          >
            Create policy
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function bodyOf({
  target,
  effect,
  subject,
  actions,
  resource_type,
  resource_id,
  tag_key,
  tag_value,
}: Record<string, string>) {
  const shared = { effect, subject: subject?.trim(), actions: (actions ?? "").split(/[\s,]+/).filter(Boolean) };
  return target === "tag"
    ? { ...shared, tag_key, tag_value: tag_value === "" ? null : tag_value }
    : { ...shared, resource_type, resource_id };
}
