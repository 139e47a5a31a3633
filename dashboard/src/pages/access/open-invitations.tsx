import type { Invitation } from "@millrace/contract/access/invitations";
import { X } from "lucide-react";
import { useApiList, useChange } from "../../api/use-api.ts";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { Time } from "../../parts/time.tsx";
import { useRoles } from "./roles-tab.tsx";

/** Invitation links that have not been used. Renders nothing if there are none. */
export function OpenInvitations({ disabledReason }: { disabledReason: string | undefined }) {
  const { rows = [] } = useApiList<Invitation>("/v1/members/invitations", { limit: 100 });
  const roles = useRoles().data?.data ?? [];
  const withdraw = useChange<Invitation>({
    run: ({ id }, send) => send("DELETE", `/v1/members/invitations/${id}`),
    done: (_, { email }) => `Invitation for ${email} withdrawn`,
    invalidates: ["/v1/members/invitations"],
  });
  if (rows.length === 0) return null;
  return (
    <section aria-label="Open invitations" className="border-t">
      <h3 className="px-4 pt-3 pb-1 font-medium text-ink-2 text-xs">Open invitations</h3>
      <ul className="divide-y">
        {rows.map((invitation) => (
          <li key={invitation.id} className="flex min-h-11 items-center gap-3 py-1 pr-2 pl-4">
            <span className="min-w-0 flex-1">
              <span className="block truncate">{invitation.email}</span>
              <span className="block text-ink-3 text-xs">
                {roles.find(({ id }) => id === invitation.role_id)?.name ?? "Role"}, invited by {invitation.created_by}
              </span>
            </span>
            <span className="flex-none text-ink-2">
              expires <Time at={invitation.expires_at} />
            </span>
            <IconButton
              label={`Withdraw the invitation for ${invitation.email}`}
              icon={<X size={14} />}
              disabledReason={disabledReason}
              onClick={() => withdraw.mutate(invitation)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
