import { RotateCw } from "lucide-react";
import { useMe } from "../../api/me.ts";
import { AsCode } from "../../parts/as-code.tsx";
import { Button } from "../../parts/button.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { SkeletonLines } from "../../parts/skeleton.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import { codeOf } from "../code-of.ts";
import { useReadiness } from "../use-readiness.ts";
import { Metrics } from "./metrics.tsx";

const SAID: Record<string, string> = {
  database: "PostgreSQL answers.",
  engine: "The duties that move runs have their turn.",
  instance: "The instance takes requests.",
};

/** Whether the service can do its work, and how busy it is. */
export default function SystemHealthPage() {
  const { data, error, refetch, isFetching } = useReadiness();
  const isOperator = useMe().data?.kind === "internal_secret";
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader
        title="System health"
        actions={
          <>
            <Button icon={<RotateCw size={14} />} busy={isFetching} onClick={() => void refetch()}>
              Check again
            </Button>
            <AsCode
              about="These checks"
              code={codeOf({ method: "GET", path: "/health/ready" }, { cli: "millrace doctor" })}
            />
          </>
        }
      />
      <PageBody className="flex flex-col gap-4">
        {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
        <section aria-label="Checks" className="card overflow-hidden">
          <h2 className="flex h-10 items-center justify-between px-4 font-medium">
            Checks
            {data && <StatusMark status={data.ready ? "ok" : "unhealthy"} label={data.ready ? "Ready" : "Not ready"} />}
          </h2>
          {data ? (
            <Checks checks={data.checks} />
          ) : (
            !error && (
              <div className="p-4">
                <SkeletonLines lines={2} />
              </div>
            )
          )}
        </section>
        {isOperator ? (
          <Metrics />
        ) : (
          <p className="text-ink-2">
            How busy the instance is can be seen by whoever signs in with the internal secret.
          </p>
        )}
      </PageBody>
    </div>
  );
}

function Checks({ checks }: { checks: Record<string, string> }) {
  return (
    <ul className="divide-y border-t">
      {Object.entries(checks).map(([name, said]) => (
        <li key={name} className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
          <span className="w-28 font-medium">{name}</span>
          <span className="w-40">
            <StatusMark status={said === "ok" ? "ok" : "unhealthy"} label={said === "ok" ? "Ok" : said} />
          </span>
          <span className="min-w-0 flex-1 text-ink-2 max-sm:basis-full">{SAID[name]}</span>
        </li>
      ))}
    </ul>
  );
}
