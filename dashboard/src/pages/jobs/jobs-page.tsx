import type { PerformanceReport } from "@millrace/contract/analytics";
import type { Job } from "@millrace/contract/jobs";
import { useRouter } from "@tanstack/react-router";
import { Hammer, Plus, Search } from "lucide-react";
import { useMemo, useState } from "react";
import { useMay, useRefusal } from "../../api/me.ts";
import { useApi, useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/as-code.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Table } from "../../parts/table.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useCommands } from "../../shell/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place.ts";
import { codeOf } from "../code-of.ts";
import { CreateJob } from "./create-job.tsx";
import { type JobMeasures, jobColumns } from "./job-columns.tsx";
import { jobState } from "./job-state.ts";
import { usePauseJob } from "./use-pause-job.ts";

const STATES = [
  { id: "", label: "All" },
  { id: "active", label: "Active" },
  { id: "paused", label: "Paused" },
  { id: "disabled", label: "Disabled" },
];

/** What can be run, and how it does. */
export default function JobsPage() {
  const [{ find = "", state = "" }, change] = useSearchParams();
  const [isAdding, setAdding] = useState(false);
  const { at } = usePlace();
  const { history } = useRouter();
  const refusal = useRefusal("jobs:write");
  const list = useApiList<Job>("/v1/jobs", { limit: 100 });
  const measures = useMeasures();
  const pause = usePauseJob();
  const { rows, error } = list;
  const shown = useMemo(() => rows?.filter((job) => fits(job, find, state)), [rows, find, state]);
  const columns = useMemo(
    () => jobColumns({ measures, href: (job) => at(`jobs/${job.id}`), refusal, onPause: (job) => pause.mutate(job) }),
    [measures, at, refusal, pause.mutate],
  );
  useCommands([{ label: "Create a job", run: () => refusal ?? setAdding(true) }]);
  return (
    <>
      <PageHeader
        title="Jobs"
        actions={
          <>
            <AsCode
              about="These jobs"
              code={codeOf(
                { method: "GET", path: "/v1/jobs?limit=100" },
                { cli: "millrace jobs list", typescript: LIST },
              )}
            />
            <Button kind="primary" icon={<Plus size={15} />} refusal={refusal} onClick={() => setAdding(true)}>
              Create job
            </Button>
          </>
        }
      >
        <div className="flex flex-wrap items-center gap-2 pb-3">
          <Segments label="State" value={state} options={STATES} onChange={(id) => change({ state: id })} />
          <div className="relative min-w-40 max-w-80 flex-1">
            <Search size={14} className="absolute top-[9px] left-2.5 text-ink-3" aria-hidden="true" />
            <input
              type="search"
              aria-label="Find a job"
              placeholder="Find by name, slug or tag"
              value={find}
              onChange={(event) => change({ find: event.target.value }, { replace: true })}
              className="field w-full pl-8"
            />
          </div>
        </div>
      </PageHeader>
      {error && rows && <ErrorState error={error} as="banner" onRetry={() => void list.refetch()} />}
      <div className="flex min-h-0 flex-1 flex-col border-t">
        {error && !rows ? (
          <ErrorState error={error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label="Jobs"
            rows={shown}
            rowKey={keyOf}
            columns={columns}
            onOpen={(job) => history.push(at(`jobs/${job.id}`))}
            onReachEnd={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : undefined}
            isLoadingMore={list.isFetchingNextPage}
            empty={<NoJobs isFiltered={find !== "" || state !== ""} />}
          />
        )}
      </div>
      {isAdding && <CreateJob onClose={() => setAdding(false)} />}
    </>
  );
}

const LIST = "for await (const job of millrace.jobs.list()) {\n  console.log(job.slug, job.version);\n}";

function keyOf({ id }: Job): string {
  return id;
}

function fits(job: Job, find: string, state: string): boolean {
  if (state !== "" && jobState(job) !== state) return false;
  const words = [job.name, job.slug, ...Object.entries(job.tags).flat()].join(" ").toLowerCase();
  return words.includes(find.trim().toLowerCase());
}

/** Of the last day, for the hundred slowest. */
function useMeasures(): ReadonlyMap<string, JobMeasures> {
  const { environmentFilter } = usePlace();
  const query = { limit: 100, environment_id: environmentFilter };
  const { data } = useApi<PerformanceReport>("/v1/analytics/performance", query, useMay("analytics:read"));
  return useMemo(() => new Map(data?.slowest_jobs.map((job) => [job.job_id, job])), [data]);
}

function NoJobs({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No job fits">Look for less, or in another state.</EmptyState>;
  const body = { name: "Send receipt", endpoint_url: "https://example.com/jobs/send-receipt" };
  return (
    <EmptyState
      icon={<Hammer size={20} />}
      title="No jobs yet"
      code={<CodeBlock title="Create one" code={codeOf({ method: "POST", path: "/v1/jobs", body }).curl} />}
    >
      A job is an address that Millrace calls, with how often, how many at once, and what happens when it fails.
    </EmptyState>
  );
}
