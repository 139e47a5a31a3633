import type { ComputeReport } from "@millrace/contract/analytics/compute-report";
import { useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { Chart } from "../../parts/chart/chart.tsx";
import { Stat } from "../../parts/chart/stat.tsx";
import { formatDuration, formatMoney, formatPercent, plural } from "../../parts/format.ts";
import { shortId } from "../../parts/id.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { FigureTable } from "../shared-analytics/figure-table.tsx";
import { count, duration, rate } from "../shared-analytics/figures.tsx";
import { timesOf } from "../shared-analytics/run-series.ts";
import type { TabProps } from "./tab-props.ts";

type Job = ComputeReport["jobs"][number];
type Outcome = ComputeReport["outcomes"][number];
const one = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** Compute time and outcomes of dispatches. */
export function ComputeTab({ query, onBrush }: TabProps) {
  const { data, error, refetch } = useApi<ComputeReport>("/v1/analytics/compute", query);
  const shown = useMemo(
    () => ({
      times: timesOf(data?.buckets),
      series: [
        {
          label: "Dispatches in flight",
          values: data?.buckets.map(({ average_in_flight }) => average_in_flight) ?? [],
        },
      ],
    }),
    [data],
  );
  return (
    <div className="flex flex-col gap-4">
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
        <Stat
          label="Compute time"
          value={data && formatDuration(data.wall_ms)}
          hint={data && plural(data.dispatches, "dispatch", "dispatches")}
        />
        <Stat label="Compute cost" value={data && formatMoney(data.compute_microusd)} />
        <Stat
          label="Useful time"
          value={data && (data.useful_share === null ? "–" : formatPercent(data.useful_share))}
          hint="in dispatches that completed or started a wait"
        />
        <Stat
          label="Peak concurrency"
          value={data && one.format(data.peak_in_flight)}
          hint={data && `${one.format(data.average_in_flight)} on average`}
        />
      </div>
      <Chart
        title="Concurrent dispatches"
        kind="area"
        times={shown.times}
        series={shown.series}
        format={(value) => one.format(value)}
        onBrush={onBrush}
      />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <FigureTable
          title="By job"
          rows={data?.jobs}
          rowKey={({ job_id }) => job_id}
          none="No dispatch finished in this period"
          figures={[
            { header: "Job", isText: true, value: ({ slug, job_id }: Job) => slug ?? shortId(job_id) },
            duration<Job>("Time", ({ wall_ms }) => wall_ms),
            count<Job>("Dispatches", ({ dispatches }) => dispatches),
            duration<Job>("Longest", ({ longest_ms }) => longest_ms),
            rate<Job>("Utilization", ({ utilization }) => utilization),
          ]}
        />
        <FigureTable
          title="By outcome"
          rows={data?.outcomes}
          rowKey={({ outcome }) => outcome}
          none="No dispatch finished in this period"
          figures={[
            { header: "Outcome", isText: true, value: ({ outcome }: Outcome) => outcome.replaceAll("_", " ") },
            count<Outcome>("Dispatches", ({ dispatches }) => dispatches),
            duration<Outcome>("Time", ({ wall_ms }) => wall_ms),
            {
              header: "Cost",
              value: ({ compute_microusd }) => compute_microusd,
              show: ({ compute_microusd }) => formatMoney(compute_microusd),
            },
          ]}
        />
      </div>
    </div>
  );
}
