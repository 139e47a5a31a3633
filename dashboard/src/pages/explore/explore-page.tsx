import { Download, Image } from "lucide-react";
import { withQuery } from "../../api/call.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { downloadBlob, downloadText } from "../../parts/code/download.ts";
import { TimeRange } from "../../parts/filter/time-range.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { STILL_LOADING } from "../../parts/state/messages.ts";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { useRange } from "../shared-analytics/use-range.ts";
import { SavedViews } from "../shared-views/saved-views.tsx";
import { Board } from "./board.tsx";
import { BoardMenu } from "./board-menu.tsx";
import { drawChart } from "./draw-chart.ts";
import { csvOf, ExploreChart, formatOf } from "./explore-chart.tsx";
import { ExploreFilters } from "./explore-filters.tsx";
import { useExploreChart } from "./use-explore-chart.ts";

/** The parameters of a chart; a dashboard has one period for all of them. */
const CHART = ["source", "metric", "group", "filter", "interval", "as"];
const NAMES = [...CHART, "since"];

/** A chart, or the dashboard of the URL. */
export default function ExplorePage() {
  const [{ board }] = useSearchParams();
  return board ? <Board key={board} id={board} /> : <ExploreView />;
}

/** Any metric over time, split and filtered, as a chart that can be saved and exported. */
function ExploreView() {
  const [search, change] = useSearchParams();
  const { since, query, setSince, zoom } = useRange();
  const { shown, filtered, explored, missing, title } = useExploreChart(search, query);
  const { source, metric, kind } = shown;
  const { times } = explored;
  const saveCsv = () => times && downloadText(`${title}.csv`, csvOf(times, explored.lines), "text/csv");
  const savePng = async () => {
    if (!times) return;
    downloadBlob(`${title}.png`, await drawChart({ title, kind, ...explored, times, format: formatOf(metric) }));
  };
  useCommands([
    { label: "Download chart as CSV", run: () => saveCsv() },
    { label: "Download chart as PNG", run: () => void savePng() },
  ]);
  const chart = new URLSearchParams(CHART.flatMap((name) => (search[name] ? [[name, search[name]]] : []))).toString();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader
        title="Explore"
        actions={
          <>
            <BoardMenu chart={chart} />
            <SavedViews resource="analytics" names={NAMES} />
            <TimeRange value={since} onChange={setSince} />
            <IconButton
              label="Download CSV"
              icon={<Download size={15} />}
              disabledReason={times ? undefined : STILL_LOADING}
              onClick={saveCsv}
            />
            <IconButton
              label="Download PNG"
              icon={<Image size={15} />}
              disabledReason={times ? undefined : STILL_LOADING}
              onClick={() => void savePng()}
            />
            <AsCode about="Chart" code={codeOf({ method: "GET", path: withQuery(source.path, filtered) })} />
          </>
        }
      />
      <PageBody className="flex flex-col gap-4">
        <ExploreFilters shown={shown} onChange={change} />
        {explored.error !== null && <ErrorState error={explored.error} as="banner" />}
        <ExploreChart title={title} kind={kind} metric={metric} explored={explored} missing={missing} onBrush={zoom} />
      </PageBody>
    </div>
  );
}
