import type { CreateRole, Role } from "@millrace/contract/access/roles";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { ScopePicker } from "./scope-picker.tsx";

type Props = {
  /** The role to edit; undefined creates a new one. */
  role?: Role;
  roles: Role[];
  onClose: () => void;
  onSaved?: (role: Role) => void;
};

/** Creates or edits a role: name, parent and direct scopes. */
export function RoleDialog({ role, roles, onClose, onSaved }: Props) {
  const [name, setName] = useState(role?.name ?? "");
  const [description, setDescription] = useState(role?.description ?? "");
  const [parent, setParent] = useState(role?.parent_role_id ?? "");
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set(role?.permissions));
  const inherited = useInherited(parent);
  const save = useChange<Partial<CreateRole>, Role>({
    run: (body, send) => (role ? send("PATCH", `/v1/roles/${role.id}`, body) : send("POST", "/v1/roles", body)),
    done: role ? "Role saved" : "Role created",
    invalidates: ["/v1/roles", "/v1/members"],
    onDone: (saved) => {
      onSaved?.(saved);
      onClose();
    },
  });
  const submit = () =>
    save.mutateAsync({
      name: name.trim(),
      description: description.trim() === "" ? null : description.trim(),
      permissions: [...scopes] as CreateRole["permissions"] & string[],
      parent_role_id: parent === "" ? null : parent,
    });
  const parents = roles.filter(({ id }) => id !== role?.id).map(({ id, name: of }): Choice => [id, of]);
  return (
    <FormDialog
      width="wide"
      onClose={onClose}
      title={role ? `Edit ${role.name}` : "Create role"}
      description="A role grants its own scopes and those of its parent. Changes take effect immediately."
      action={role ? "Save role" : "Create role"}
      disabledReason={name.trim() === "" ? "Enter a name." : undefined}
      onSubmit={submit}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" required value={name} onChange={setName} />
        <ChoiceField label="Parent" choices={[["", "None"], ...parents]} value={parent} onChange={setParent} />
      </div>
      <TextField label="Description" value={description} onChange={setDescription} />
      <ScopePicker scopes={scopes} inherited={inherited} onChange={setScopes} />
    </FormDialog>
  );
}

/** Scopes inherited from the parent. */
function useInherited(parent: string): ReadonlySet<string> {
  const { data } = useApi<Role>(`/v1/roles/${parent}`, { include_lineage: true }, parent !== "");
  return new Set(data?.effective_permissions?.map(({ permission }) => permission));
}
