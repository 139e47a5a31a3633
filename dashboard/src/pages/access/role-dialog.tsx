import type { CreateRole, Role } from "@millrace/contract/roles";
import { type FormEvent, useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FormField } from "../../parts/form-field.tsx";
import { ScopePicker } from "./scope-picker.tsx";

type Props = {
  /** The one to change; without, a new one. */
  role?: Role;
  roles: Role[];
  onClose: () => void;
  onSaved?: (role: Role) => void;
};

/** A role to create or to change: its name, its parent, its own scopes. */
export function RoleDialog({ role, roles, onClose, onSaved }: Props) {
  const [name, setName] = useState(role?.name ?? "");
  const [description, setDescription] = useState(role?.description ?? "");
  const [parent, setParent] = useState(role?.parent_role_id ?? "");
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set(role?.permissions));
  const inherited = useInherited(parent);
  const save = useChange<Partial<CreateRole>, Role>({
    run: (body, send) => (role ? send("PATCH", `/v1/roles/${role.id}`, body) : send("POST", "/v1/roles", body)),
    done: role ? "Role saved; it acts at once" : "Role created",
    outdates: ["/v1/roles", "/v1/members"],
    onDone: (saved) => {
      onSaved?.(saved);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({
      name: name.trim(),
      description: description.trim() === "" ? null : description.trim(),
      permissions: [...scopes] as CreateRole["permissions"] & string[],
      parent_role_id: parent === "" ? null : parent,
    });
  };
  return (
    <Dialog
      open
      width="wide"
      onClose={onClose}
      title={role ? `Change ${role.name}` : "Create role"}
      description="It grants what its parent grants, and its own scopes."
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <div className="grid gap-4 sm:grid-cols-2">
          <FormField label="Name">
            {(ids) => (
              <input
                {...ids}
                className="field"
                required
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </FormField>
          <FormField label="Parent">
            {(ids) => (
              <select {...ids} className="field" value={parent} onChange={(event) => setParent(event.target.value)}>
                <option value="">None</option>
                {roles
                  .filter(({ id }) => id !== role?.id)
                  .map((each) => (
                    <option key={each.id} value={each.id}>
                      {each.name}
                    </option>
                  ))}
              </select>
            )}
          </FormField>
        </div>
        <FormField label="Description">
          {(ids) => (
            <input
              {...ids}
              className="field"
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          )}
        </FormField>
        <ScopePicker scopes={scopes} inherited={inherited} onChange={setScopes} />
        {save.error && <ErrorState as="banner" error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button
            type="submit"
            kind="primary"
            busy={save.isPending}
            refusal={name.trim() === "" ? "Give it a name first." : undefined}
          >
            {role ? "Save role" : "Create role"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What the parent grants already. */
function useInherited(parent: string): ReadonlySet<string> {
  const { data } = useApi<Role>(`/v1/roles/${parent}`, { include_lineage: true }, parent !== "");
  const own = parent !== "" && data?.id === parent ? data.effective_permissions : null;
  return new Set(own?.map(({ permission }) => permission));
}
