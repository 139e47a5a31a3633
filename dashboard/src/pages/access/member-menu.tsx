import type { Member } from "@millrace/contract/access/members";
import { Ellipsis, KeyRound, MonitorSmartphone, ShieldQuestion, Trash2 } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { Menu } from "../../parts/overlay/menu.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { MemberKeys } from "./member-keys.tsx";
import { MemberSessions } from "./member-sessions.tsx";

/** Actions on a member other than changing the role. */
export function MemberMenu({ member }: { member: Member }) {
  const [open, setOpen] = useState<"sessions" | "keys" | "remove">();
  const [, change] = useSearchParams();
  const disabledReason = useDisabledReason("access:write");
  const keysReason = useDisabledReason("api-keys:read");
  const close = () => setOpen(undefined);
  const items = [
    { label: "Sessions", icon: <MonitorSmartphone size={14} />, onSelect: () => setOpen("sessions") },
    {
      ...{ label: "Personal keys", icon: <KeyRound size={14} />, disabledReason: keysReason },
      onSelect: () => setOpen("keys"),
    },
    {
      ...{ label: "Check access", icon: <ShieldQuestion size={14} /> },
      onSelect: () => change({ tab: "check", who: `member:${member.subject}` }),
    },
    {
      ...{ label: "Remove", icon: <Trash2 size={14} />, danger: true, disabledReason },
      onSelect: () => setOpen("remove"),
    },
  ];
  const trigger = <IconButton label={`More about ${member.name ?? member.subject}`} icon={<Ellipsis size={16} />} />;
  return (
    <>
      <Menu label="Member" align="end" items={items} trigger={trigger} />
      {open === "sessions" && <MemberSessions member={member} disabledReason={disabledReason} onClose={close} />}
      {open === "keys" && <MemberKeys member={member} onClose={close} />}
      <RemoveMember member={member} open={open === "remove"} onClose={close} />
    </>
  );
}

type RemoveProps = { member: Member; open: boolean; onClose: () => void };

function RemoveMember({ member, open, onClose }: RemoveProps) {
  const remove = useChange({
    run: (_, send) => send("DELETE", `/v1/members/${member.id}`),
    done: "Member removed",
    invalidates: ["/v1/members"],
  });
  return (
    <ConfirmDialog
      danger
      open={open}
      onClose={onClose}
      title="Remove this member?"
      action="Remove member"
      onConfirm={() => remove.mutateAsync()}
    >
      <p>
        <strong className="font-medium text-ink">{member.name ?? member.subject}</strong> loses access to this project,
        and their personal keys are revoked.
      </p>
      {member.by_rule && (
        <p className="mt-2">
          A sign-in rule made them a member, and will do so again while they are signed in or when they sign in: change
          the rule or their groups to keep them out.
        </p>
      )}
    </ConfirmDialog>
  );
}
