import type { Member } from "@millrace/contract/access/members";
import { ArrowRightLeft } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { useRoles } from "./roles-tab.tsx";

/** Lets an administrator leave the project or take another role. */
export function TransferAdmin({ members }: { members: Member[] }) {
  const { data: me } = useMe();
  const [isOpen, setOpen] = useState(false);
  const own = members.find(({ subject }) => me?.kind === "member" && me.key_id === null && subject === me.subject);
  if (own?.role_name !== "admin") return null;
  const others = members.filter((member) => member !== own);
  return (
    <>
      <Button
        size="small"
        icon={<ArrowRightLeft size={14} />}
        disabledReason={others.length === 0 ? "There is no other member." : undefined}
        onClick={() => setOpen(true)}
      >
        Transfer
      </Button>
      {isOpen && <TransferDialog others={others} onClose={() => setOpen(false)} />}
    </>
  );
}

function TransferDialog({ others, onClose }: { others: Member[]; onClose: () => void }) {
  const roles = useRoles().data?.data ?? [];
  const lower = roles.filter(({ name }) => name !== "admin").map(({ name }): Choice => [name, name]);
  const transfer = useChange<FormData>({
    run: (form, send) =>
      send("POST", "/v1/members/transfer", { member_id: form.get("member_id"), role_id: form.get("role_id") }),
    done: "Admin role transferred",
    invalidates: ["/v1/members"],
    // What the caller may do has changed.
    onDone: () => location.reload(),
  });
  return (
    <FormDialog
      danger
      onClose={onClose}
      title="Transfer the admin role"
      description="The other member becomes administrator, and you get the role you choose. Only the new administrator can reverse this."
      action="Transfer"
      onSubmit={(form) => transfer.mutateAsync(form)}
    >
      <ChoiceField
        label="New administrator"
        name="member_id"
        choices={others.map(({ id, name, subject }): Choice => [id, name ?? subject])}
      />
      <ChoiceField label="Your new role" name="role_id" choices={lower} />
    </FormDialog>
  );
}
