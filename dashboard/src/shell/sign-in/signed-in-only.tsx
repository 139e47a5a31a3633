import { Outlet } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { call } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { asProblem } from "../../api/problem.ts";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { InvitationPage, readInvitation } from "./invitation-page.tsx";
import { ResetPage, readReset } from "./reset-page.tsx";
import { SignInPage } from "./sign-in-page.tsx";

const USED =
  "This sign-in link was already used or has expired. Restart the service to get a new one, or sign in here.";

/** Shows the sign-in page to anonymous users, then continues at the current URL. */
export function SignedInOnly() {
  const { data: me, error, refetch, isPending } = useMe();
  const code = useCode(() => void refetch());
  const invitation = readInvitation();
  if (invitation !== undefined) return <InvitationPage token={invitation} />;
  const reset = readReset();
  if (reset !== undefined) return <ResetPage token={reset} />;
  if (code.isBusy || (isPending && !error)) return null;
  if (me) return <Outlet />;
  if (error && me === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return <SignInPage notice={code.notice} problem={code.problem} onSignedIn={() => void refetch()} />;
}

/** Removes the one-time code from the URL immediately, so that it stays out of bookmarks and history. */
function takeCode(): string | null {
  const url = new URL(location.href);
  const code = url.searchParams.get("code");
  if (code === null || url.pathname !== "/") return null;
  url.searchParams.delete("code");
  history.replaceState(history.state, "", url);
  return code;
}

let taken: string | null | undefined;

function useCode(onSignedIn: () => void) {
  const [state, setState] = useState<{ isBusy: boolean; notice?: string; problem?: unknown }>(() => {
    taken ??= takeCode();
    return { isBusy: taken !== null };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a code is used once
  useEffect(() => {
    if (!taken) return;
    const code = taken;
    taken = null;
    call("POST", "/v1/session", { body: { code } })
      .then(() => {
        onSignedIn();
        setState({ isBusy: false });
      })
      .catch((problem) =>
        setState(asProblem(problem).status === 401 ? { isBusy: false, notice: USED } : { isBusy: false, problem }),
      );
  }, []);
  return state;
}
