import type { MemberSession } from "@millrace/contract/access/members";
import { Button } from "../../parts/form/button.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { Time } from "../../parts/time.tsx";

type Props = {
  sessions: MemberSession[];
  disabledReason?: string | undefined;
  onEnd: (session: MemberSession) => void;
};

/** Where a person is signed in, with a button to end each session. */
export function SessionList({ sessions, disabledReason, onEnd }: Props) {
  return (
    <ul aria-label="Sessions" className="divide-y">
      {sessions.map((session) => (
        <li key={session.id} className="flex items-center gap-3 py-2">
          <span className="min-w-0 flex-1">
            <span className="flex items-center gap-2">
              {session.provider ?? "Local account"}
              {session.is_current && <Badge>This browser</Badge>}
            </span>
            <span className="block truncate text-ink-3 text-xs">
              {session.ip} {session.user_agent}
            </span>
          </span>
          <Time at={session.last_used_at ?? session.created_at} className="flex-none text-ink-2" />
          <Button size="small" disabledReason={disabledReason} onClick={() => onEnd(session)}>
            End session
          </Button>
        </li>
      ))}
    </ul>
  );
}
