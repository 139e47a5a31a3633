import type { ErrorGroups } from "@millrace/contract/analytics/job-analytics";
import type { Job } from "@millrace/contract/jobs/jobs";
import { useDisabledReason } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { plural } from "../../parts/format.ts";
import { shortId } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { VaryingText } from "../../parts/varying-text.tsx";
import { usePlace } from "../../shell/place/place.ts";

/** Failures of the last day, grouped by reason. */
export function ErrorsTab({ job }: { job: Job }) {
  const disabledReason = useDisabledReason("analytics:read");
  const { data, error, refetch } = useApi<ErrorGroups>(
    "/v1/analytics/errors",
    { job_id: job.id },
    disabledReason === undefined,
  );
  const { at } = usePlace();
  if (disabledReason)
    return (
      <EmptyState small title="You don't have access to error groups">
        {disabledReason}
      </EmptyState>
    );
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <SkeletonLines />;
  if (data.data.length === 0) return <EmptyState small title="No failures in the last 24 hours" />;
  return (
    <ul className="flex flex-col gap-2">
      {data.data.map((group) => (
        <li key={group.fingerprint} className="card flex flex-col gap-1.5 px-4 py-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <p className="min-w-0 flex-1 break-words font-medium">
              <VaryingText text={group.message} />
            </p>
            {group.code && <Badge mono>{group.code}</Badge>}
            {group.http_status && <Badge mono>{`HTTP ${group.http_status}`}</Badge>}
          </div>
          <p className="flex flex-wrap gap-x-4 gap-y-1 text-ink-2 text-xs">
            <span>
              {plural(group.runs, "run")}, {plural(group.attempts, "attempt")}
            </span>
            <span>
              first <Time at={group.first_seen_at} />, last <Time at={group.last_seen_at} />
            </span>
            {group.versions.length > 0 && (
              <span>
                {group.versions.length === 1 ? "version" : "versions"}{" "}
                {group.versions.map(({ version }) => version ?? "?").join(", ")}
              </span>
            )}
            {group.sample_run_ids.slice(0, 3).map((id) => (
              <Link key={id} href={at(`runs/${id}`)} className="font-mono text-accent hover:underline">
                {shortId(id)}
              </Link>
            ))}
          </p>
        </li>
      ))}
    </ul>
  );
}
