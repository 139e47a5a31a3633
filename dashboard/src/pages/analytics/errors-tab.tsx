import type { ErrorGroups } from "@millrace/contract/analytics/job-analytics";
import { useApi } from "../../api/use-api.ts";
import { shortId } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { Time } from "../../parts/time.tsx";
import { VaryingText } from "../../parts/varying-text.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { FigureTable } from "../shared-analytics/figure-table.tsx";
import { count } from "../shared-analytics/figures.tsx";
import type { TabProps } from "./tab-props.ts";

type Group = ErrorGroups["data"][number];

/** Failures grouped by reason. */
export function ErrorsTab({ query }: TabProps) {
  const { data, error, refetch } = useApi<ErrorGroups>("/v1/analytics/errors", query);
  const { at } = usePlace();
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-2">
        Failures with the same cause are issues that you can resolve, ignore or assign:{" "}
        <Link href={at("error-issues")} className="text-accent underline">
          view errors
        </Link>
        .
      </p>
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      <FigureTable
        title="Failures"
        rows={data?.data}
        rowKey={({ fingerprint }) => fingerprint}
        none="No failures in this period"
        figures={[
          {
            header: "Reason",
            isText: true,
            value: ({ message }: Group) => message,
            show: ({ message, sample_run_ids: [run] }) =>
              run ? (
                <Link href={at(`runs/${run}`)} className="font-medium hover:text-accent hover:underline">
                  <VaryingText text={message} />
                </Link>
              ) : (
                <VaryingText text={message} />
              ),
          },
          { header: "Job", isText: true, value: ({ job_slug, job_id }) => job_slug ?? shortId(job_id) },
          { header: "Step", isText: true, value: ({ step_ref }) => step_ref },
          { header: "HTTP", value: ({ http_status }) => http_status },
          count<Group>("Runs", ({ runs }) => runs),
          count<Group>("Attempts", ({ attempts }) => attempts),
          {
            header: "Versions",
            value: ({ versions }) => versions.map(({ version }) => version ?? "deleted").join(", "),
          },
          {
            header: "Last seen",
            value: ({ last_seen_at }) => last_seen_at,
            show: ({ last_seen_at }) => <Time at={last_seen_at} className="text-ink-2" />,
          },
        ]}
      />
    </div>
  );
}
