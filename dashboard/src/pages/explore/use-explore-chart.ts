import { useMemo } from "react";
import { usePlace } from "../../shell/place/place.ts";
import type { AnalyticsTime } from "../shared-analytics/use-range.ts";
import type { ChartKind } from "./explore-chart.tsx";
import { GROUP_LABELS, type Group, type Metric, reasonWithout, SOURCES, type Source, sourceOf } from "./metrics.ts";
import { useExplored } from "./use-explored.ts";
import { MAX_PARTS } from "./use-parts.ts";

type Search = Record<string, string | undefined>;

/** The request, title and values of a chart, from its parameters and a period. */
export function useExploreChart(search: Search, query: AnalyticsTime) {
  const { environmentFilter } = usePlace();
  const shown = useMemo(() => readShown(search), [search]);
  const { source, metric, group, interval, filter } = shown;
  const filtered = useMemo(() => {
    const { environment_id: _, ...time } = query;
    const groupBy = source.groupBy?.[group];
    const isByEnvironment = group === "environment" || !environmentFilter;
    return {
      ...time,
      ...(!isByEnvironment && { environment_id: environmentFilter }),
      ...(groupBy && { group_by: groupBy, limit: MAX_PARTS }),
      bucket: source.isByDay && groupBy ? "1d" : interval || bucketOf(time),
      ...(filter && { [filterName(source)]: filter }),
    };
  }, [query, environmentFilter, group, interval, filter, source]);
  const explored = useExplored(source, metric, group, filtered);
  const title = `${source.label}: ${metric.label}${group === "none" ? "" : ` by ${GROUP_LABELS[group].toLowerCase()}`}`;
  const missing = reasonWithout(source, metric, group);
  return { shown, filtered, explored, missing, title };
}

const [HOUR, DAY] = [3_600_000, 86_400_000];

/** Chosen once for all lines: the service would choose another when the period passes a limit between two requests. */
function bucketOf({ from, to }: Pick<AnalyticsTime, "from" | "to">): string {
  const length = (to ? Date.parse(to) : Date.now()) - Date.parse(from);
  if (length <= HOUR) return "1m";
  if (length <= 6 * HOUR) return "5m";
  return length <= 3 * DAY ? "1h" : "1d";
}

export type Shown = ReturnType<typeof readShown>;

function readShown(search: Search) {
  const sourceId = sourceOf(search.source);
  const source: Source = SOURCES[sourceId];
  const metric: Metric = source.metrics.find(({ id }) => id === search.metric) ?? (source.metrics[0] as Metric);
  const group: Group = source.groups.find((each) => each === search.group) ?? source.groups[0] ?? "none";
  const kind = (["line", "bar", "table", "heat"].includes(search.as ?? "") ? search.as : "line") as ChartKind;
  return { sourceId, source, metric, group, kind, interval: search.interval, filter: search.filter };
}

/** The parameter that the filter sets: workflows are filtered by workflow, everything else by job. */
function filterName({ path }: Source): string {
  return path.includes("/workflows/") ? "workflow_id" : "job_id";
}
