import type { Invitation } from "@millrace/contract/access/invitations";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { useRoles } from "./roles-tab.tsx";

/** Makes a link with which a person without an identity provider joins. The link is shown once. */
export function InviteMember({ onClose }: { onClose: () => void }) {
  const roles = useRoles().data?.data ?? [];
  const [role, setRole] = useState("viewer");
  const invite = useChange<string, Invitation>({
    run: (email, send) => send<Invitation>("POST", "/v1/members/invitations", { email, role_id: role }),
    invalidates: ["/v1/members/invitations"],
  });
  return (
    <FormDialog
      onClose={onClose}
      title="Invite a person"
      description="For people without an identity provider. Send them the link: it works once, for 72 hours."
      action="Create link"
      back={invite.data ? "Done" : "Cancel"}
      disabledReason={invite.data ? "The link was created." : undefined}
      onSubmit={(form) => invite.mutateAsync(String(form.get("email")))}
    >
      <TextField label="E-mail address" name="email" type="email" required maxLength={320} autoComplete="off" />
      <ChoiceField
        label="Role"
        choices={[...new Set([role, ...roles.map(({ name }) => name)])].map((name): Choice => [name, name])}
        value={role}
        onChange={setRole}
      />
      {invite.data?.url && <TextField label="Link" readOnly mono="small" value={invite.data.url} />}
    </FormDialog>
  );
}
