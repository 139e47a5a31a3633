import type { ApiKey } from "@millrace/contract/access/api-keys";
import type { Member } from "@millrace/contract/access/members";
import { useDisabledReason } from "../../api/me.ts";
import { useApiList, useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { PersonalKeyList } from "../shared-members/personal-key-list.tsx";

type Props = { member: Member; onClose: () => void };

/** The personal keys of a member. Administrators can revoke them, but never see a secret. */
export function MemberKeys({ member, onClose }: Props) {
  const { rows, error, refetch } = useApiList<ApiKey>("/v1/api-keys", { subject: member.subject, status: "active" });
  const disabledReason = useDisabledReason("api-keys:write");
  const revoke = useChange<ApiKey>({
    run: ({ id }, send) => send("DELETE", `/v1/api-keys/${id}`),
    done: (_, { name }) => `Key ${name} revoked`,
    invalidates: ["/v1/api-keys"],
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Personal keys of ${member.name ?? member.subject}`}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      {rows?.length === 0 && <p className="text-ink-2">There are no personal keys.</p>}
      {rows && <PersonalKeyList keys={rows} disabledReason={disabledReason} onRevoke={revoke.mutate} />}
    </Dialog>
  );
}
