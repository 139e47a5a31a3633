import { CircleUser } from "lucide-react";
import { useMe } from "../../api/me.ts";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { LocalAccount } from "./local-account.tsx";
import { OwnSessions } from "./own-sessions.tsx";
import { PersonalKeys } from "./personal-keys.tsx";

/** The caller's own account: password and codes, sessions, and personal keys. */
export default function AccountPage() {
  const { data: me } = useMe();
  const isPerson = me?.kind === "member" && me.key_id === null;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader title="Account" />
      <PageBody className="flex flex-col gap-4">
        {me && !isPerson && (
          <EmptyState icon={<CircleUser size={20} />} title="No account">
            You are signed in with a key or a secret. People who sign in with a provider or a password have an account.
          </EmptyState>
        )}
        {isPerson && (
          <>
            {me.subject?.startsWith("local:") && <LocalAccount />}
            <OwnSessions />
            <PersonalKeys />
          </>
        )}
      </PageBody>
    </div>
  );
}
