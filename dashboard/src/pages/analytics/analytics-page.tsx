import { withQuery } from "../../api/call.ts";
import { useIsStale } from "../../api/use-is-stale.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { TimeRange } from "../../parts/filter/time-range.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { useRange } from "../shared-analytics/use-range.ts";
import { ComputeTab } from "./compute-tab.tsx";
import { DurationsTab } from "./durations-tab.tsx";
import { ErrorsTab } from "./errors-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { JobPicker } from "./job-picker.tsx";
import { PerformanceTab } from "./performance-tab.tsx";
import { TriggersTab } from "./triggers-tab.tsx";
import { VersionsTab } from "./versions-tab.tsx";
import { WebhooksTab } from "./webhooks-tab.tsx";
import { WorkflowsTab } from "./workflows-tab.tsx";

const TABS = [
  { id: "performance", label: "Performance", path: "timeseries", Tab: PerformanceTab },
  { id: "durations", label: "Durations", path: "runs/duration-distribution", Tab: DurationsTab },
  { id: "triggers", label: "By trigger", path: "runs/by-trigger", Tab: TriggersTab },
  { id: "errors", label: "Errors", path: "errors", Tab: ErrorsTab },
  { id: "workflows", label: "Workflows", path: "workflows/summary", Tab: WorkflowsTab },
  { id: "versions", label: "Versions", path: "jobs/by-version", Tab: VersionsTab },
  { id: "events", label: "Events", path: "events/volume", Tab: EventsTab },
  { id: "webhooks", label: "Webhooks", path: "webhooks/endpoint-health", Tab: WebhooksTab },
  { id: "compute", label: "Compute", path: "compute", Tab: ComputeTab },
];

/** All tabs share one time range and one job. Zooming one chart zooms all. */
export default function AnalyticsPage() {
  const [{ tab = "performance", job }, change] = useSearchParams();
  const { since, query, setSince, zoom } = useRange();
  const isStale = useIsStale(since, "/v1/analytics");
  const chosen = TABS.find(({ id }) => id === tab) ?? TABS[0];
  const tabQuery = { ...query, ...(job && tab !== "webhooks" && { job_id: job }) };
  useCommands(
    TABS.map(({ id, label }) => ({ label: `Analytics: ${label.toLowerCase()}`, run: () => change({ tab: id }) })),
  );
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader
        title="Analytics"
        actions={
          <>
            <JobPicker value={job} onChange={(id) => change({ job: id })} />
            <TimeRange value={since} onChange={setSince} />
            <AsCode
              about="Analytics"
              code={codeOf({ method: "GET", path: withQuery(`/v1/analytics/${chosen?.path}`, tabQuery) })}
            />
          </>
        }
      />
      <PageBody isStale={isStale} className="pt-1">
        <Tabs
          label="Analytics"
          value={tab}
          onChange={(id) => change({ tab: id })}
          tabs={TABS.map(({ id, label, Tab }) => ({
            id,
            label,
            content: id === chosen?.id ? <Tab query={tabQuery} onBrush={zoom} /> : null,
          }))}
        />
      </PageBody>
    </div>
  );
}
