import type { CreateRole as Body, Role } from "@millrace/contract/roles";
import { SCOPES } from "@millrace/contract/scopes";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FormField } from "../../parts/form-field.tsx";

type Props = { open: boolean; roles: Role[]; onClose: () => void; onCreated: (role: Role) => void };

export function CreateRole({ open, roles, onClose, onCreated }: Props) {
  const [name, setName] = useState("");
  const [parent, setParent] = useState("");
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set());
  const close = () => {
    setName("");
    setScopes(new Set());
    create.reset();
    onClose();
  };
  const create = useChange<Body, Role>({
    run: (body, send) => send<Role>("POST", "/v1/roles", body),
    done: "Role created",
    outdates: ["/v1/roles"],
    onDone: (role) => {
      close();
      onCreated(role);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({
      name: name.trim(),
      permissions: [...scopes] as Body["permissions"] & string[],
      ...(parent && { parent_role_id: parent }),
    });
  };
  const toggle = (scope: string) =>
    setScopes(
      (before) => new Set(before.has(scope) ? [...before].filter((each) => each !== scope) : [...before, scope]),
    );
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Create role"
      description="It grants what its parent grants, and its own scopes."
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <FormField label="Name">
          {(ids) => (
            <input {...ids} className="field" required value={name} onChange={(event) => setName(event.target.value)} />
          )}
        </FormField>
        <FormField label="Parent">
          {(ids) => (
            <select {...ids} className="field" value={parent} onChange={(event) => setParent(event.target.value)}>
              <option value="">None</option>
              {roles.map((role) => (
                <option key={role.id} value={role.id}>
                  {role.name}
                </option>
              ))}
            </select>
          )}
        </FormField>
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1.5 font-medium text-xs">Scopes of its own</legend>
          <div className="grid max-h-52 grid-cols-2 gap-x-3 gap-y-1 overflow-y-auto rounded-sm border p-3 sm:grid-cols-3">
            {SCOPES.map((scope) => (
              <label key={scope} className="flex items-center gap-2 font-mono text-xs">
                <input type="checkbox" checked={scopes.has(scope)} onChange={() => toggle(scope)} />
                {scope}
              </label>
            ))}
          </div>
        </fieldset>
        {create.error && <ErrorState as="banner" error={create.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Back</Button>
          <Button
            type="submit"
            kind="primary"
            busy={create.isPending}
            refusal={name.trim() === "" ? "Give it a name first." : undefined}
          >
            Create role
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
