import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { call, type Query } from "../../api/call.ts";
import { apiKey } from "../../api/use-api.ts";
import { usePlace } from "../../shell/place/place.ts";
import { useEnvironments } from "../../shell/place/use-places.ts";
import { useWorkflows } from "../shared-workflows/use-workflows.ts";
import { useJobs } from "../use-jobs.ts";
import type { Group, Metric, Source } from "./metrics.ts";

/** More lines than this cannot be distinguished, and each is a request. */
const MAX_PARTS = 8;

type Bucket = { starts_at: string } & Record<string, number | string | null>;
type Report = { buckets?: Bucket[]; data?: { endpoint: string; buckets: Bucket[] }[]; bucket?: string };

export type Line = { label: string; values: (number | null)[] };
export type Explored = {
  times: number[] | undefined;
  lines: Line[];
  /** How many parts there are; more than lines if there are too many to distinguish. */
  count: number;
  bucket: string | undefined;
  error: unknown;
};

/** One line for each part of the group, all with the same times. */
export function useExplored(source: Source, metric: Metric, group: Group, query: Query): Explored {
  const { project } = usePlace();
  const all = useParts(group);
  const parts = useMemo(() => all?.slice(0, MAX_PARTS), [all]);
  const results = useQueries({
    queries: (parts ?? []).map(({ filter }) => {
      const whole = { ...query, ...filter };
      return {
        queryKey: apiKey(project, source.path, whole),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          call<Report>("GET", source.path, { query: whole, project, signal }),
      };
    }),
  });
  const reports = results.map(({ data }) => data);
  const error = results.find((each) => each.error)?.error ?? null;
  const isRead = parts !== undefined && reports.every((report) => report !== undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the array is new on every render, its reports are not
  return useMemo(() => {
    if (!isRead) return { times: undefined, lines: [], count: 0, bucket: undefined, error };
    const found = reports.flatMap((report, nth) => seriesOf(report as Report, parts?.[nth]?.label ?? ""));
    const times = found[0]?.buckets.map(({ starts_at }) => Date.parse(starts_at) / 1_000) ?? [];
    const lines = found.slice(0, MAX_PARTS).map(({ label, buckets }) => ({
      label,
      values: buckets.map((bucket) => (bucket[metric.id] ?? null) as number | null),
    }));
    const count = Math.max(all?.length ?? 0, found.length);
    return { times, lines, count, bucket: reports[0]?.bucket, error };
  }, [isRead, error, metric, all, parts, ...reports]);
}

function seriesOf({ buckets, data }: Report, label: string): { label: string; buckets: Bucket[] }[] {
  if (data) return data.map((each) => ({ label: each.endpoint, buckets: each.buckets }));
  return [{ label, buckets: buckets ?? [] }];
}

type Part = { label: string; filter: Query };
/** The label of a line that is not split. */
export const WHOLE = "All";
const NOT_SPLIT: Part[] = [{ label: WHOLE, filter: {} }];

/** The parts that can be compared: jobs, environments or workflows, by name. Undefined until they are known. */
function useParts(group: Group): Part[] | undefined {
  const [jobs, workflows, environments] = [useJobs(), useWorkflows(), useEnvironments()];
  return useMemo(() => {
    const named = (all: Iterable<{ id: string; name: string }> | undefined, parameter: string) =>
      all &&
      [...all]
        .map(({ id, name }) => ({ label: name, filter: { [parameter]: id } }))
        .sort((a, b) => a.label.localeCompare(b.label));
    if (group === "job") return named(jobs?.values(), "job_id");
    if (group === "workflow") return named(workflows?.values(), "workflow_id");
    if (group === "environment") return named(environments, "environment_id");
    return NOT_SPLIT;
  }, [group, jobs, workflows, environments]);
}
