import type { Member, MemberSession, MemberSessions as Sessions } from "@millrace/contract/access/members";
import { useApi, useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SessionList } from "../shared-members/session-list.tsx";

type Props = { member: Member; disabledReason: string | undefined; onClose: () => void };

/** The sessions of a member, each with a button to end it. */
export function MemberSessions({ member, disabledReason, onClose }: Props) {
  const path = `/v1/members/${member.id}/sessions`;
  const { data, error, refetch } = useApi<Sessions>(path);
  const endAll = useChange<undefined>({
    run: (_, send) => send("DELETE", path),
    done: `${member.name ?? member.subject} was signed out`,
    invalidates: [path],
  });
  const end = useChange<MemberSession>({
    run: ({ id }, send) => send("DELETE", `${path}/${id}`),
    done: "Session ended",
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
      onSubmit={() => endAll.mutateAsync(undefined)}
    >
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      <SessionList sessions={sessions} disabledReason={disabledReason} onEnd={end.mutate} />
    </FormDialog>
  );
}
