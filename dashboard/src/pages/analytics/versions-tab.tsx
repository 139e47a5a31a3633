import type { JobsByVersion } from "@millrace/contract/analytics/job-analytics";
import { useApi } from "../../api/use-api.ts";
import { shortId } from "../../parts/id.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { FigureTable } from "../shared-analytics/figure-table.tsx";
import { count, endFigures, percentileFigures } from "../shared-analytics/figures.tsx";
import type { TabProps } from "./tab-props.ts";

type Version = JobsByVersion["data"][number];

/** Compares job versions, to see the effect of a deployment. */
export function VersionsTab({ query }: TabProps) {
  const { data, error, refetch } = useApi<JobsByVersion>("/v1/analytics/jobs/by-version", { ...query, limit: 100 });
  return (
    <div className="flex flex-col gap-4">
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      <FigureTable
        title="Job versions"
        rows={data?.data}
        rowKey={({ job_version_id }) => job_version_id}
        none="No runs in this period"
        figures={[
          { header: "Job", isText: true, value: ({ job_slug, job_id }: Version) => job_slug ?? shortId(job_id) },
          { header: "Version", value: ({ version }) => version },
          count<Version>("Created", ({ created }) => created),
          ...endFigures<Version>(),
          ...percentileFigures<Version>(),
        ]}
      />
    </div>
  );
}
