import { Download, Image } from "lucide-react";
import { useMemo } from "react";
import { withQuery } from "../../api/call.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { downloadBlob, downloadText } from "../../parts/code/download.ts";
import { TimeRange } from "../../parts/filter/time-range.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { STILL_LOADING } from "../../parts/state/messages.ts";
import { useCommands } from "../../shell/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place.ts";
import { codeOf } from "../code-of.ts";
import { useRange } from "../shared-analytics/use-range.ts";
import { SavedViews } from "../shared-views/saved-views.tsx";
import { drawFigure } from "./draw-figure.ts";
import { ExploreFilters } from "./explore-filters.tsx";
import { csvOf, Figure, type FigureKind, formatOf } from "./figure.tsx";
import { type Group, type Metric, SOURCES, type Source, sourceOf } from "./metrics.ts";
import { useExplored } from "./use-explored.ts";

const NAMES = ["source", "metric", "group", "filter", "interval", "as", "since"];

/** Any metric over time, split and filtered, as a figure that can be saved and exported. */
export default function ExplorePage() {
  const [search, change] = useSearchParams();
  const { since, query, setSince, zoom } = useRange();
  const { environmentFilter } = usePlace();
  const shown = useMemo(() => readShown(search), [search]);
  const { source, metric, group, kind, interval, filter } = shown;
  const filtered = useMemo(() => {
    const { environment_id: _, ...time } = query;
    const isByEnvironment = group === "environment" || !environmentFilter;
    return {
      ...time,
      ...(!isByEnvironment && { environment_id: environmentFilter }),
      ...(interval && { bucket: interval }),
      ...(filter && { [filterName(source)]: filter }),
    };
  }, [query, environmentFilter, group, interval, filter, source]);
  const explored = useExplored(source, metric, group, filtered);
  const title = `${source.label}: ${metric.label}${group === "none" ? "" : ` by ${group}`}`;
  const isRead = explored.times !== undefined;
  const saveCsv = () =>
    explored.times && downloadText(`${title}.csv`, csvOf(explored.times, explored.lines), "text/csv");
  const savePng = async () => {
    if (!explored.times) return;
    downloadBlob(
      `${title}.png`,
      await drawFigure({ title, kind, ...explored, times: explored.times, format: formatOf(metric) }),
    );
  };
  useCommands([
    { label: "Download figure as CSV", run: () => saveCsv() },
    { label: "Download figure as PNG", run: () => void savePng() },
  ]);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader
        title="Explore"
        actions={
          <>
            <SavedViews resource="analytics" names={NAMES} />
            <TimeRange value={since} onChange={setSince} />
            <IconButton
              label="Download CSV"
              icon={<Download size={15} />}
              disabledReason={isRead ? undefined : STILL_LOADING}
              onClick={saveCsv}
            />
            <IconButton
              label="Download PNG"
              icon={<Image size={15} />}
              disabledReason={isRead ? undefined : STILL_LOADING}
              onClick={() => void savePng()}
            />
            <AsCode about="Figure" code={codeOf({ method: "GET", path: withQuery(source.path, filtered) })} />
          </>
        }
      />
      <PageBody className="flex flex-col gap-4">
        <ExploreFilters shown={shown} onChange={change} />
        {explored.error !== null && <ErrorState error={explored.error} as="banner" />}
        <Figure title={title} kind={kind} metric={metric} explored={explored} onBrush={zoom} />
      </PageBody>
    </div>
  );
}

export type Shown = ReturnType<typeof readShown>;

function readShown(search: Record<string, string | undefined>) {
  const sourceId = sourceOf(search.source);
  const source: Source = SOURCES[sourceId];
  const metric: Metric = source.metrics.find(({ id }) => id === search.metric) ?? (source.metrics[0] as Metric);
  const group: Group = source.groups.find((each) => each === search.group) ?? source.groups[0] ?? "none";
  const kind = (["line", "bar", "table", "heat"].includes(search.as ?? "") ? search.as : "line") as FigureKind;
  return { sourceId, source, metric, group, kind, interval: search.interval, filter: search.filter };
}

/** The parameter that the filter sets: workflows are filtered by workflow, everything else by job. */
function filterName({ path }: Source): string {
  return path.includes("/workflows/") ? "workflow_id" : "job_id";
}
