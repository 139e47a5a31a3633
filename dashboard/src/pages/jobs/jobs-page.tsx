import type { PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import type { Job } from "@millrace/contract/jobs/jobs";
import { useRouter } from "@tanstack/react-router";
import { Hammer, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useDisabledReason, useMay } from "../../api/me.ts";
import { useApi, useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { SearchField } from "../../parts/filter/search-field.tsx";
import { Button } from "../../parts/form/button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { useRefetchOnChange } from "../shared-analytics/use-refetch-on-change.ts";
import { useSchedules } from "../shared-schedules/use-schedules.ts";
import { CreateJob, JOB_TEMPLATES, type JobTemplate } from "./create-job.tsx";
import { type JobMeasures, jobColumns } from "./job-columns.tsx";
import { jobState } from "./job-state.ts";
import { useInFlight } from "./limits/use-in-flight.ts";
import { usePauseJob } from "./use-pause-job.ts";

const STATES = [
  { id: "", label: "All" },
  { id: "active", label: "Active" },
  { id: "paused", label: "Paused" },
  { id: "disabled", label: "Disabled" },
];

/** Refetched in rotation while runs change. */
const REFETCH_SETS = [["/v1/runs"], ["/v1/analytics/performance"]];
const noop = () => {};

/** All jobs with their metrics. */
export default function JobsPage() {
  const [{ find = "", state = "" }, change] = useSearchParams();
  const [adding, setAdding] = useState<JobTemplate>();
  const { at } = usePlace();
  const { history } = useRouter();
  const disabledReason = useDisabledReason("jobs:write");
  const list = useApiList<Job>("/v1/jobs", { limit: 100 });
  const measures = useMeasures();
  const inFlight = useInFlight();
  const schedules = useSchedules();
  useRefetchOnChange(useMay("runs:read"), REFETCH_SETS, undefined, noop);
  const pause = usePauseJob();
  const { rows } = list;
  const shown = useMemo(() => rows?.filter((job) => fits(job, find, state)), [rows, find, state]);
  const columns = useMemo(
    () =>
      jobColumns({
        measures,
        inFlight,
        schedules,
        href: (job) => at(`jobs/${job.id}`),
        disabledReason,
        onPause: (job) => pause.mutate(job),
      }),
    [measures, inFlight, schedules, at, disabledReason, pause.mutate],
  );
  useCommands([{ label: "Create job", run: () => disabledReason ?? setAdding("http") }]);
  return (
    <ListPage
      title="Jobs"
      label="Jobs"
      actions={
        <>
          <AsCode about="Jobs" code={LIST_CODE} />
          <Button
            kind="primary"
            icon={<Plus size={15} />}
            disabledReason={disabledReason}
            onClick={() => setAdding("http")}
          >
            Create job
          </Button>
        </>
      }
      toolbar={
        <>
          <Segments label="State" value={state} options={STATES} onChange={(id) => change({ state: id })} />
          <SearchField
            label="Search jobs"
            placeholder="Search by name, slug or tag"
            value={find}
            onChange={(text) => change({ find: text }, { replace: true })}
          />
        </>
      }
      list={list}
      rows={shown}
      columns={columns}
      onOpen={(job) => history.push(at(`jobs/${job.id}`))}
      empty={<NoJobs isFiltered={find !== "" || state !== ""} disabledReason={disabledReason} onCreate={setAdding} />}
    >
      {adding && <CreateJob from={adding} onClose={() => setAdding(undefined)} />}
    </ListPage>
  );
}

const LIST_CODE = codeOf(
  { method: "GET", path: "/v1/jobs?limit=100" },
  {
    cli: "millrace jobs list",
    typescript: "for await (const job of millrace.jobs.list()) {\n  console.log(job.slug, job.version);\n}",
  },
);

function fits(job: Job, find: string, state: string): boolean {
  if (state !== "" && jobState(job) !== state) return false;
  const words = [job.name, job.slug, ...Object.entries(job.tags).flat()].join(" ").toLowerCase();
  return words.includes(find.trim().toLowerCase());
}

/** Last 24 hours, for the hundred slowest jobs. */
function useMeasures(): ReadonlyMap<string, JobMeasures> | undefined {
  const { environmentFilter } = usePlace();
  const query = { limit: 100, environment_id: environmentFilter };
  const { data } = useApi<PerformanceReport>("/v1/analytics/performance", query, useMay("analytics:read"));
  return useMemo(() => data && new Map(data.slowest_jobs.map((job) => [job.job_id, job])), [data]);
}

type NoJobsProps = {
  isFiltered: boolean;
  disabledReason: string | undefined;
  onCreate: (template: JobTemplate) => void;
};

function NoJobs({ isFiltered, disabledReason, onCreate }: NoJobsProps) {
  if (isFiltered) return <EmptyState title="No jobs match">Try another search or state.</EmptyState>;
  const body = { name: "Send receipt", endpoint_url: "https://example.com/jobs/send-receipt" };
  return (
    <EmptyState
      icon={<Hammer size={20} />}
      title="No jobs yet"
      action={JOB_TEMPLATES.map(({ id, label }) => (
        <Button key={id} disabledReason={disabledReason} onClick={() => onCreate(id)}>
          {label}
        </Button>
      ))}
      code={<CodeBlock title="Create a job" code={codeOf({ method: "POST", path: "/v1/jobs", body }).curl} />}
    >
      A job is your code, behind an HTTP endpoint or in a worker, with its schedule, limits and retry policy. Start from
      a template:
    </EmptyState>
  );
}
