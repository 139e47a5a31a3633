import type { Member, MemberSessions as Sessions } from "@millrace/contract/access/members";
import { useApi, useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { Time } from "../../parts/time.tsx";

type Props = { member: Member; disabledReason: string | undefined; onClose: () => void };

/** Where a member is signed in, and the way to end it. */
export function MemberSessions({ member, disabledReason, onClose }: Props) {
  const path = `/v1/members/${member.id}/sessions`;
  const { data, error, refetch } = useApi<Sessions>(path);
  const end = useChange<undefined>({
    run: (_, send) => send("DELETE", path),
    done: `${member.name ?? member.subject} was signed out`,
    invalidates: [path],
  });
  const sessions = data?.sessions ?? [];
  return (
    <FormDialog
      danger
      onClose={onClose}
      title={`Sessions of ${member.name ?? member.subject}`}
      action="Sign out everywhere"
      back="Close"
      disabledReason={disabledReason ?? (sessions.length === 0 ? "There are no sessions." : undefined)}
      onSubmit={() => end.mutateAsync(undefined)}
    >
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      <ul aria-label="Sessions" className="divide-y">
        {sessions.map(({ id, provider, ip, user_agent, last_used_at, created_at }) => (
          <li key={id} className="flex items-center gap-3 py-2">
            <span className="min-w-0 flex-1">
              <span className="block">{provider ?? "Local account"}</span>
              <span className="block truncate text-ink-3 text-xs">
                {ip} {user_agent}
              </span>
            </span>
            <Time at={last_used_at ?? created_at} className="flex-none text-ink-2" />
          </li>
        ))}
      </ul>
    </FormDialog>
  );
}
