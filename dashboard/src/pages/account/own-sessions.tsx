import type { MemberSession, MemberSessions } from "@millrace/contract/access/members";
import { useApi, useChange } from "../../api/use-api.ts";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { SessionList } from "../shared-members/session-list.tsx";
import { Card } from "./card.tsx";

const PATH = "/v1/account/sessions";

export function OwnSessions() {
  const { data, error, refetch } = useApi<MemberSessions>(PATH);
  const end = useChange<MemberSession>({
    run: ({ id }, send) => send("DELETE", `${PATH}/${id}`),
    done: "Session ended",
    invalidates: [PATH],
    onDone: (_, { is_current }) => void (is_current && dispatchEvent(new CustomEvent("signed-out"))),
  });
  return (
    <Card title="Sessions">
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonLines lines={2} />}
      {data && <SessionList sessions={data.sessions} onEnd={end.mutate} />}
    </Card>
  );
}
