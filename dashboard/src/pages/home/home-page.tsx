import type { PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import type { RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { withQuery } from "../../api/call.ts";
import { useMay } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { useIsStale } from "../../api/use-is-stale.ts";
import { useLiveState } from "../../live/use-live.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { RANGES, TimeRange } from "../../parts/filter/time-range.tsx";
import { Link } from "../../parts/link.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { LiveDot } from "../../parts/state/live-dot.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { STATUS_OF_LABEL } from "../shared-analytics/run-series.ts";
import { useLiveTotal } from "../shared-analytics/use-live-total.ts";
import { rangeText, useRange } from "../shared-analytics/use-range.ts";
import { useRefetchOnChange } from "../shared-analytics/use-refetch-on-change.ts";
import { Attention } from "./attention.tsx";
import { HeatStrip } from "./heat-strip.tsx";
import { HomeCharts, Throughput } from "./home-charts.tsx";
import { HomeStats } from "./home-stats.tsx";
import { JobTable } from "./job-table.tsx";
import { Onboarding } from "./onboarding.tsx";
import { ProjectAge } from "./project-age.tsx";

const SERIES = "/v1/analytics/timeseries";
const PERFORMANCE = "/v1/analytics/performance";
/** Refetched in rotation while runs change: at most four requests a minute, beside the two of the sidebar. */
const REFETCH_SETS = [[SERIES, PERFORMANCE], [SERIES], [SERIES, "/v1/runs"], [SERIES]];

/** Health of the project and issues that need attention. The time range applies to all cards. */
export default function HomePage() {
  const { since, query, setSince, zoom, slide } = useRange();
  const maySee = useMay("analytics:read");
  const seriesQuery = { ...query, bucket: since === "7d" ? "1h" : undefined };
  const series = useApi<RunTimeseries>(SERIES, seriesQuery, maySee);
  const performance = useApi<PerformanceReport>(PERFORMANCE, query, maySee);
  const { at } = usePlace();
  const { history } = useRouter();
  useRefetchOnChange(maySee, REFETCH_SETS, series.data?.as_of, slide);
  const total = useLiveTotal(maySee && !since.includes("~"), series.data);
  useCommands(RANGES.map((range) => ({ label: `Home: last ${range}`, run: () => setSince(range) })));
  const runsOf = (from: number, to: number, label?: string) => {
    const status = label && STATUS_OF_LABEL[label];
    return at("runs", { ...(status && { q: `status:${status}` }), since: rangeText(from, to) });
  };
  const isNew = useWasQuiet(total?.created === 0 && performance.data?.health.open_runs === 0);
  const isStale = useIsStale(since, "/v1/analytics");
  if (!maySee) return <NoFigures href={at("runs")} />;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader
        title="Home"
        count={<ProjectAge from={query.from} />}
        actions={
          <>
            <Live />
            <TimeRange value={since} onChange={setSince} />
            <AsCode about="Analytics" code={codeOf({ method: "GET", path: withQuery(SERIES, seriesQuery) })} />
          </>
        }
      />
      <PageBody isStale={isStale} className="flex flex-col gap-4">
        {isNew && <Onboarding />}
        <HomeStats since={since} total={total} buckets={series.data?.buckets} performance={performance.data} />
        {series.error && <ErrorState as="banner" error={series.error} onRetry={() => void series.refetch()} />}
        <div className="grid gap-4 lg:grid-cols-3">
          <div className="grid min-w-0 lg:col-span-2">
            <Throughput series={series.data} onPick={(...bar) => history.push(runsOf(...bar))} onBrush={zoom} />
          </div>
          <Attention since={since} query={query} performance={performance.data} />
        </div>
        <HeatStrip series={series.data} hrefOf={runsOf} />
        <HomeCharts series={series.data} onBrush={zoom} />
        {performance.error && (
          <ErrorState as="banner" error={performance.error} onRetry={() => void performance.refetch()} />
        )}
        <JobTable since={since} performance={performance.data} />
      </PageBody>
    </div>
  );
}

function Live() {
  const state = useLiveState();
  return (
    <span className="inline-flex h-8 items-center max-sm:hidden">
      <LiveDot state={state} />
    </span>
  );
}

function NoFigures({ href }: { href: string }) {
  return (
    <EmptyState
      title="You don't have access to analytics"
      action={
        <Link href={href} className="font-medium text-accent hover:underline">
          Go to Runs
        </Link>
      }
    >
      You need the analytics:read scope for this.
    </EmptyState>
  );
}

/** Whether nothing ran when the page was opened. What leads to the first run stays while that arrives. */
function useWasQuiet(isQuiet: boolean): boolean {
  const { project } = usePlace();
  const [quietProject, setQuietProject] = useState<string>();
  useEffect(() => {
    if (isQuiet) setQuietProject(project);
  }, [isQuiet, project]);
  return isQuiet || quietProject === project;
}
