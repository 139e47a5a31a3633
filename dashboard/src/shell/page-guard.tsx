import { Lock } from "lucide-react";
import { lazy, Suspense, useEffect } from "react";
import { useDisabledReason } from "../api/me.ts";
import { startPageLoading } from "../api/page-loading.ts";
import type { PageRoute } from "../pages/page-route.ts";
import { EmptyState } from "../parts/state/empty-state.tsx";
import { SkeletonLines } from "../parts/state/skeleton.tsx";
import { noPageCode } from "./crash-page.tsx";

/** Loads a page on first use and checks its scope. */
export function guardedPage({ title, scope, load }: PageRoute) {
  // React caches a failed load, so it is retried on the next visit.
  const loaded = () =>
    lazy(() =>
      load().catch(() => {
        Page = loaded();
        throw noPageCode();
      }),
    );
  let Page = loaded();
  return function GuardedPage() {
    const disabledReason = useDisabledReason(scope ?? "runs:read");
    useEffect(() => {
      document.title = `${title} · Millrace`;
    }, []);
    if (scope && disabledReason) return <Forbidden title={title} disabledReason={disabledReason} />;
    return (
      <Suspense fallback={<Loading />}>
        <Page />
      </Suspense>
    );
  };
}

function Forbidden({ title, disabledReason }: { title: string; disabledReason: string }) {
  return (
    <EmptyState icon={<Lock size={18} />} title={`You don't have access to “${title}”`}>
      {disabledReason} Sign in with a key that has this scope, or ask a project administrator.
    </EmptyState>
  );
}

function Loading() {
  useEffect(startPageLoading, []);
  return (
    <div className="p-6">
      <SkeletonLines lines={6} />
    </div>
  );
}
