import type { Run } from "@millrace/contract/runs/runs";
import { useMemo } from "react";
import { FilterBar } from "../../parts/filter/filter-bar.tsx";
import { TimeRange } from "../../parts/filter/time-range.tsx";
import { type Column, ColumnPicker } from "../../parts/table/table-columns.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { useJobs } from "../use-jobs.ts";
import { pathsOf } from "./payload-query.ts";
import { presetOf, RUN_PRESETS } from "./run-presets.ts";

type Props = {
  columns: Column<Run>[];
  rows: readonly Run[] | undefined;
  /** Changing the filter clears the selection. */
  onChange: (changes: Record<string, string | undefined>) => void;
};

/** Presets, filter and time range. */
export function RunsToolbar({ columns, rows, onChange }: Props) {
  const [{ q = "", since, cols }, changeSearch] = useSearchParams();
  const jobs = useJobs();
  const known = useMemo(
    () => ({ job: [...(jobs?.values() ?? [])].map(({ slug }) => slug), payload: pathsOf(rows) }),
    [jobs, rows],
  );
  return (
    <div className="flex w-full flex-wrap items-start gap-2">
      <Segments
        label="Presets"
        value={presetOf(q)}
        options={RUN_PRESETS.map(({ id, label }) => ({ id: id as string, label }))}
        onChange={(id) => onChange({ q: RUN_PRESETS.find((preset) => preset.id === id)?.q })}
      />
      <div className="flex min-w-0 flex-1 basis-[420px] items-start gap-2 max-sm:basis-full max-sm:flex-wrap">
        <FilterBar value={q} onChange={(query) => onChange({ q: query })} known={known} />
        <TimeRange value={since} allTime onChange={(range) => onChange({ since: range })} />
        <span className="max-sm:hidden">
          <ColumnPicker columns={columns} cols={cols} onChange={(picked) => changeSearch({ cols: picked })} />
        </span>
      </div>
    </div>
  );
}
