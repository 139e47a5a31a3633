import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { call, type Query } from "../../api/call.ts";
import { apiKey } from "../../api/use-api.ts";
import { usePlace } from "../../shell/place/place.ts";
import type { Group, Metric, Source } from "./metrics.ts";
import { MAX_PARTS, useParts } from "./use-parts.ts";

type Bucket = { starts_at: string } & Record<string, number | string | null>;
type Grouped = { groups: GroupOfReport[]; has_more: boolean };
type GroupOfReport = { id: string | null; name: string | null; value: string | null; buckets: Bucket[] };
type Report = {
  buckets?: Bucket[];
  data?: { endpoint: string; buckets: Bucket[] }[];
  grouped?: Grouped | null;
  bucket?: string;
};

export type Line = { label: string; values: (number | null)[] };
export type Explored = {
  times: number[] | undefined;
  lines: Line[];
  /** How many parts there are; more than lines if there are too many to distinguish. */
  count: number;
  /** There are more, and nobody counted them. */
  hasMore: boolean;
  bucket: string | undefined;
  error: unknown;
};

/** One line for each part of the group, all with the same times. */
export function useExplored(source: Source, metric: Metric, group: Group, query: Query): Explored {
  const { project } = usePlace();
  const all = useParts(source.groupBy?.[group] ? "none" : group, query);
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
    if (!isRead) return { times: undefined, lines: [], count: 0, hasMore: false, bucket: undefined, error };
    const found = reports.flatMap((report, nth) => seriesOf(report as Report, parts?.[nth]?.label ?? "", group));
    const starts = [...new Set(found.flatMap(({ buckets }) => buckets.map(({ starts_at }) => starts_at)))].sort();
    const times = starts.map((starts_at) => Date.parse(starts_at) / 1_000);
    const lines = found.slice(0, MAX_PARTS).map(({ label, buckets }) => ({
      label,
      values: valuesAt(starts, buckets, metric),
    }));
    const count = Math.max(all?.length ?? 0, found.length);
    const hasMore = reports.some((report) => report?.grouped?.has_more);
    return { times, lines, count, hasMore, bucket: reports[0]?.bucket, error };
  }, [isRead, error, metric, group, all, parts, ...reports]);
}

/** Requests that are seconds apart can end in different intervals. */
function valuesAt(starts: readonly string[], buckets: readonly Bucket[], { id }: Metric): (number | null)[] {
  const byStart = new Map(buckets.map((bucket) => [bucket.starts_at, bucket[id] ?? null]));
  return starts.map((starts_at) => (byStart.get(starts_at) ?? null) as number | null);
}

function seriesOf(
  { buckets, data, grouped }: Report,
  label: string,
  by: Group,
): { label: string; buckets: Bucket[] }[] {
  if (grouped) return grouped.groups.map((each) => ({ label: labelOf(each, by), buckets: each.buckets }));
  if (data) return data.map((each) => ({ label: each.endpoint, buckets: each.buckets }));
  return [{ label, buckets: buckets ?? [] }];
}

function labelOf({ id, name, value }: GroupOfReport, by: Group): string {
  if (by === "version") return `${name ?? "Deleted"} ${value === null ? (id ?? "") : `v${value}`}`;
  const words = [name, value].filter((word) => word !== null && word !== "");
  if (words.length > 0) return words.join(by === "tag" ? ": " : " ");
  return id ?? "None";
}
