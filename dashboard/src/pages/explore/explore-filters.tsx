import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useWorkflows } from "../shared-workflows/use-workflows.ts";
import { useJobs } from "../use-jobs.ts";
import { GROUP_LABELS, SOURCES } from "./metrics.ts";
import type { Shown } from "./use-explore-chart.ts";

const INTERVALS: Choice[] = [
  ["", "Automatic"],
  ["1m", "Minute"],
  ["5m", "5 minutes"],
  ["1h", "Hour"],
  ["1d", "Day"],
];
const KINDS = [
  { id: "line", label: "Line" },
  { id: "bar", label: "Bar" },
  { id: "heat", label: "Heat map" },
  { id: "table", label: "Table" },
];

type Props = { shown: Shown; onChange: (changes: Record<string, string | undefined>) => void };

/** What is shown, all of it in the URL. */
export function ExploreFilters({ shown, onChange }: Props) {
  const { sourceId, source, metric, group, kind, interval = "", filter = "" } = shown;
  return (
    <div className="flex flex-wrap items-end gap-3">
      <div className="w-36">
        <ChoiceField
          label="Data"
          choices={Object.entries(SOURCES).map(([id, { label }]): Choice => [id, label])}
          value={sourceId}
          onChange={(id) => onChange({ source: id, metric: undefined, group: undefined, filter: undefined })}
        />
      </div>
      <div className="w-44">
        <ChoiceField
          label="Metric"
          choices={source.metrics.map(({ id, label }): Choice => [id, label])}
          value={metric.id}
          onChange={(id) => onChange({ metric: id })}
        />
      </div>
      <div className="w-36">
        <ChoiceField
          label="Group by"
          choices={source.groups.map((each): Choice => [each, GROUP_LABELS[each]])}
          value={group}
          onChange={(id) => onChange({ group: id })}
        />
      </div>
      {sourceId !== "webhooks" && (
        <Filter isWorkflow={sourceId === "workflow_runs"} value={filter} onChange={(id) => onChange({ filter: id })} />
      )}
      <div className="w-40">
        <ChoiceField
          label="Interval"
          choices={INTERVALS}
          value={interval}
          onChange={(id) => onChange({ interval: id })}
        />
      </div>
      <Segments
        label="Show as"
        value={kind}
        options={KINDS}
        onChange={(id) => onChange({ as: id === "line" ? undefined : id })}
      />
    </div>
  );
}

function Filter({
  isWorkflow,
  value,
  onChange,
}: {
  isWorkflow: boolean;
  value: string;
  onChange: (id: string) => void;
}) {
  const [jobs, workflows] = [useJobs(), useWorkflows()];
  const all = isWorkflow ? workflows : jobs;
  const names = [...(all?.values() ?? [])].map(({ slug, name }): Choice => [slug, name]);
  return (
    <div className="w-44">
      <ChoiceField
        label="Filter"
        choices={[["", isWorkflow ? "All workflows" : "All jobs"], ...names]}
        value={value}
        onChange={onChange}
      />
    </div>
  );
}
