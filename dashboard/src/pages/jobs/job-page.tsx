import type { Job } from "@millrace/contract/jobs";
import { useParams, useRouter } from "@tanstack/react-router";
import { Ellipsis, FlaskConical, Pause, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { useRefusal } from "../../api/me.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { AsCode } from "../../parts/as-code.tsx";
import { Button } from "../../parts/button.tsx";
import { TypedConfirm } from "../../parts/confirm-dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { IconButton } from "../../parts/icon-button.tsx";
import { Id } from "../../parts/id.tsx";
import { Menu } from "../../parts/menu.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { SkeletonLines } from "../../parts/skeleton.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import { type Tab, Tabs } from "../../parts/tabs.tsx";
import { useCommands } from "../../shell/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place.ts";
import { codeOf } from "../code-of.ts";
import { BulkTab } from "./bulk-tab.tsx";
import { ErrorsTab } from "./errors-tab.tsx";
import { jobState } from "./job-state.ts";
import { LimitsTab } from "./limits-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { RunsTab } from "./runs-tab.tsx";
import { ScheduleTab } from "./schedule-tab.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import { TestTab } from "./test-tab.tsx";
import { usePauseJob } from "./use-pause-job.ts";
import { VersionsTab } from "./versions-tab.tsx";

/** One job: how it does, how it is set, and a place to try it. */
export default function JobPage() {
  const { jobId = "" } = useParams({ strict: false }) as { jobId?: string };
  const { data, error, refetch } = useApi<Job>(`/v1/jobs/${jobId}`);
  const job = data && (data.id === jobId || data.slug === jobId) ? data : undefined;
  if (error && !job) return <ErrorState error={error} onRetry={() => void refetch()} />;
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
        <JobTabs job={job} />
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
  return <Tabs label="About the job" tabs={tabs} value={tab} onChange={(id) => change({ tab: id })} />;
}

function JobHeader({ job }: { job: Job }) {
  const [isDeleting, setDeleting] = useState(false);
  const [, change] = useSearchParams();
  const { at } = usePlace();
  const { history } = useRouter();
  const refusal = useRefusal("jobs:write");
  const noTrigger = useRefusal("jobs:trigger");
  const pause = usePauseJob();
  const remove = useChange({
    run: (_, send) => send("DELETE", `/v1/jobs/${job.id}`),
    done: "Job deleted",
    outdates: ["/v1/jobs"],
    onDone: () => history.push(at("jobs")),
  });
  useCommands([{ label: "Test this job", run: () => change({ tab: "test" }) }]);
  const code = codeOf(
    { method: "POST", path: `/v1/jobs/${job.slug}/trigger`, body: { payload: {} } },
    { cli: `millrace trigger ${job.slug} -d '{}'`, typescript: `await millrace.jobs.trigger("${job.slug}", {});` },
  );
  return (
    <PageHeader
      lead={<StatusMark status={jobState(job)} as="badge" />}
      title={job.name}
      count={
        <span className="flex items-center gap-2">
          <code className="font-mono text-xs">{job.slug}</code>
          <Id value={job.id} className="max-sm:hidden" />
        </span>
      }
      actions={
        <>
          <AsCode about="This job" code={code} />
          <Button
            icon={job.paused_at ? <Play size={14} /> : <Pause size={14} />}
            refusal={refusal}
            onClick={() => pause.mutate(job)}
          >
            {job.paused_at ? "Resume" : "Pause"}
          </Button>
          <Button
            kind="primary"
            icon={<FlaskConical size={14} />}
            refusal={noTrigger}
            onClick={() => change({ tab: "test" })}
          >
            Test
          </Button>
          <Menu
            label="More"
            align="end"
            trigger={<IconButton label="More" icon={<Ellipsis size={16} />} />}
            items={[
              {
                label: "Delete job",
                icon: <Trash2 size={14} />,
                danger: true,
                refusal,
                onSelect: () => setDeleting(true),
              },
            ]}
          />
        </>
      }
    >
      {job.description && <p className="text-ink-2">{job.description}</p>}
      <TypedConfirm
        open={isDeleting}
        typed={job.slug}
        onClose={() => setDeleting(false)}
        title={`Delete ${job.name}?`}
        action="Delete job"
        onConfirm={() => remove.mutateAsync()}
      >
        <p>Nothing can trigger it any more. Its runs stay until their retention passes.</p>
      </TypedConfirm>
    </PageHeader>
  );
}
