import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { ApiProblem, asProblem } from "../api/problem.ts";
import { ErrorState } from "../parts/error-state.tsx";

const CODE_IS_MISSING = "page_code";

/** The code of a page did not come. In place of the browser's words, which name a file. */
export function noPageCode(): ApiProblem {
  return new ApiProblem({
    title: "This page could not be loaded",
    detail: "The service is not responding, or it was updated after this tab was opened.",
    remedy: "The page reloads when the service responds again.",
    code: CODE_IS_MISSING,
  });
}

/** A fault of the dashboard itself: said as every other one, with the rest of the page still in use. */
export function CrashPage({ error }: { error: unknown }) {
  const router = useRouter();
  if (asProblem(error).code === CODE_IS_MISSING) return <NoPageCode error={error} />;
  return <ErrorState error={error} onRetry={() => void router.invalidate()} />;
}

const ASK_EVERY_MS = 3_000;

/** Loads the tab anew, for code that is not there any more; but never into the browser's own page of a service that is away. */
function NoPageCode({ error }: { error: unknown }) {
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    void isThere().then((isUp) => {
      // One that answers now would be asked for the same again and again: that is left to the reader.
      if (!isUp) timer = setInterval(() => void loadAgain(), ASK_EVERY_MS);
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
