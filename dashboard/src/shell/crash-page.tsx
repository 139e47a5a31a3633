import { useRouter } from "@tanstack/react-router";
import { ErrorState } from "../parts/error-state.tsx";

/** A fault of the dashboard itself: said as every other one, with the rest of the page still in use. */
export function CrashPage({ error }: { error: unknown }) {
  const router = useRouter();
  return <ErrorState error={error} onRetry={() => void router.invalidate()} />;
}
