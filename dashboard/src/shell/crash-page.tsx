import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { ApiProblem, asProblem } from "../api/problem.ts";
import { ErrorState } from "../parts/state/error-state.tsx";

const CODE_IS_MISSING = "page_code";

/** The code of a page failed to load. Replaces the browser's message, which names a file. */
export function noPageCode(): ApiProblem {
  return new ApiProblem({
    title: "This page could not be loaded",
    detail: "The service is not responding, or it was updated after this tab was opened.",
    remedy: "The page reloads when the service responds again.",
    code: CODE_IS_MISSING,
  });
}

/** An error in the dashboard itself, shown while the rest of the page stays usable. */
export function CrashPage({ error }: { error: unknown }) {
  const router = useRouter();
  if (asProblem(error).code === CODE_IS_MISSING) return <NoPageCode error={error} />;
  return <ErrorState error={error} onRetry={() => void router.invalidate()} />;
}

const RETRY_INTERVAL_MS = 3_000;

/** Reloads the tab to get current code, but only once the service responds. */
function NoPageCode({ error }: { error: unknown }) {
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    void isThere().then((isUp) => {
      // If the service responds now, reloading could loop, so that is left to the user.
      if (!isUp) timer = setInterval(() => void loadAgain(), RETRY_INTERVAL_MS);
    });
    return () => clearInterval(timer);
  }, []);
  return <ErrorState error={error} onRetry={() => void loadAgain()} />;
}

async function loadAgain(): Promise<void> {
  if (await isThere()) location.reload();
}

function isThere(): Promise<boolean> {
  return fetch("/favicon.svg", { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
}
