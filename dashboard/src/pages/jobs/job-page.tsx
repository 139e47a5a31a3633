import type { Job } from "@millrace/contract/jobs/jobs";
import { useParams } from "@tanstack/react-router";
import { useApi } from "../../api/use-api.ts";
import { PageBody } from "../../parts/page-header.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { NoObject } from "../../parts/state/no-object.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { type Tab, Tabs } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { ErrorsTab } from "./errors-tab.tsx";
import { JobHeader } from "./job-header.tsx";
import { LimitsTab } from "./limits/limits-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { RunsTab } from "./runs-tab.tsx";
import { ScheduleTab } from "./schedule-tab.tsx";
import { SettingsTab } from "./settings/settings-tab.tsx";
import { BulkTab } from "./test/bulk-tab.tsx";
import { TestTab } from "./test/test-tab.tsx";
import { VersionsTab } from "./versions-tab.tsx";

/** One job: metrics, configuration and a test form. */
export default function JobPage() {
  const { jobId = "" } = useParams({ strict: false }) as { jobId?: string };
  const { data: job, error, refetch } = useApi<Job>(`/v1/jobs/${jobId}`);
  if (error && !job) return <NoObject error={error} onRetry={() => void refetch()} noun="job" list="jobs" />;
  if (!job) {
    return (
      <PageBody>
        <SkeletonLines lines={6} />
      </PageBody>
    );
  }
  return (
    <>
      {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      <JobHeader job={job} />
      <PageBody>
        <JobTabs key={job.id} job={job} />
      </PageBody>
    </>
  );
}

function JobTabs({ job }: { job: Job }) {
  const [{ tab = "overview" }, change] = useSearchParams();
  const tabs: Tab[] = [
    { id: "overview", label: "Overview", content: <OverviewTab job={job} /> },
    { id: "runs", label: "Runs", content: <RunsTab job={job} /> },
    { id: "test", label: "Test", content: <TestTab job={job} /> },
    { id: "bulk", label: "Bulk trigger", content: <BulkTab job={job} /> },
    { id: "versions", label: "Versions", content: <VersionsTab job={job} /> },
    { id: "schedule", label: "Schedule", content: <ScheduleTab job={job} /> },
    { id: "limits", label: "Limits", content: <LimitsTab job={job} /> },
    { id: "errors", label: "Errors", content: <ErrorsTab job={job} /> },
    { id: "settings", label: "Settings", content: <SettingsTab key={job.updated_at} job={job} /> },
  ];
  return <Tabs label="Job sections" tabs={tabs} value={tab} onChange={(id) => change({ tab: id })} />;
}
