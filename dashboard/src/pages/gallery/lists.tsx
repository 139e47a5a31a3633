import { useState } from "react";
import { Waterfall } from "../../parts/chart/waterfall.tsx";
import { FilterBar } from "../../parts/filter/filter-bar.tsx";
import { TimeRange } from "../../parts/filter/time-range.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Table } from "../../parts/table/table.tsx";
import { type Column, ColumnPicker, pickColumns } from "../../parts/table/table-columns.tsx";
import { Segments, Tabs } from "../../parts/tabs.tsx";
import { Trace } from "../../parts/trace/trace.tsx";
import type { TraceItem } from "../../parts/trace/trace-types.ts";
import { Shelf } from "./shelf.tsx";

type Row = { id: string; name: string; status: string };
const ROWS: Row[] = Array.from({ length: 10_000 }, (_, nth) => ({
  id: String(nth),
  name: `Row ${nth}`,
  status: nth % 7 ? "completed" : "failed",
}));
const COLUMNS: Column<Row>[] = [
  {
    id: "status",
    header: "Status",
    width: "130px",
    isFixed: true,
    narrow: "meta",
    cell: ({ status }) => <StatusMark status={status} />,
  },
  { id: "name", header: "Name", width: "minmax(120px, 1fr)", narrow: "title", cell: ({ name }) => name },
  {
    id: "id",
    header: "Id",
    width: "100px",
    align: "end",
    narrow: "end",
    cell: ({ id }) => <code className="font-mono text-xs">{id}</code>,
  },
];
const T0 = Date.parse("2026-11-15T12:00:00Z");
const at = (secs: number) => new Date(T0 + secs * 1_000).toISOString();

const span = (
  id: string,
  parentId: string | null,
  [from, to]: [number, number],
  rest: Partial<TraceItem>,
): TraceItem => ({
  ...{ id, parentId, kind: "step", label: id, status: "completed", from: T0 + from * 1_000, to: T0 + to * 1_000 },
  ...{ isIdle: false, isMoment: false, isLazy: false, isLoading: false, ...rest },
});
const SPANS: TraceItem[] = [
  span("Import catalog", null, [0, 3_620], { kind: "run" }),
  span("Queued", "Import catalog", [0, 2], { kind: "queue", status: "queued", isIdle: true }),
  span("Attempt 1", "Import catalog", [2, 9], { kind: "attempt", status: "failed" }),
  span("fetch", "Attempt 1", [3, 8], { status: "failed" }),
  span("connection reset", "Attempt 1", [8, 8], { kind: "log", status: "error", isMoment: true }),
  span("Wait for approval", "Import catalog", [9, 3_600], { kind: "wait", isIdle: true }),
  span("Attempt 2", "Import catalog", [3_600, 3_620], { kind: "attempt" }),
];

export function Lists() {
  const [query, setQuery] = useState("status:failed,timed_out job:send-mail");
  const [wrong, setWrong] = useState("status:done job:send-mail");
  const [range, setRange] = useState<string | undefined>("24h");
  const [tab, setTab] = useState("logs");
  const [view, setView] = useState("graph");
  const [cols, setCols] = useState<string>();
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set(["2"]));
  const [picked, setPicked] = useState<string>();
  return (
    <>
      <Shelf name="FilterBar" column>
        <FilterBar value={query} onChange={setQuery} known={{ job: ["send-mail", "resize-image"] }} />
        <FilterBar value={wrong} onChange={setWrong} />
        <FilterBar value="" onChange={() => {}} />
      </Shelf>
      <Shelf name="TimeRange, Tabs" column>
        <div className="flex flex-wrap gap-3">
          <TimeRange value={range} onChange={setRange} allTime />
          <Segments
            label="View"
            value={view}
            onChange={setView}
            options={[
              { id: "graph", label: "Graph" },
              { id: "timeline", label: "Timeline" },
              { id: "list", label: "List" },
            ]}
          />
        </div>
        <Tabs
          label="Run"
          value={tab}
          onChange={setTab}
          tabs={[
            { id: "overview", label: "Overview", content: "Overview" },
            { id: "logs", label: "Logs", count: 5_120, content: "Logs" },
            { id: "raw", label: "Raw", content: "Raw" },
          ]}
        />
      </Shelf>
      <Shelf name="Table" column>
        <div className="card flex h-80 flex-col overflow-hidden">
          <div className="flex justify-end border-b p-1">
            <ColumnPicker columns={COLUMNS} cols={cols} onChange={setCols} />
          </div>
          <Table
            label="Rows"
            rows={ROWS}
            rowKey={({ id }) => id}
            columns={pickColumns(COLUMNS, cols)}
            selection={selection}
            onSelect={setSelection}
            onPeek={() => {}}
            empty="Nothing"
          />
        </div>
        <div className="card flex h-40 flex-col overflow-hidden">
          <Table label="Loading rows" rows={undefined} rowKey={({ id }: Row) => id} columns={COLUMNS} empty="Nothing" />
        </div>
      </Shelf>
      <Shelf name="Waterfall" column>
        <Waterfall
          bars={[
            { id: "a", label: "Queued", status: "queued", start: at(0), end: at(1.5), isIdle: true },
            { id: "b", label: "Attempt 1", status: "failed", start: at(1.5), end: at(6) },
            { id: "c", label: "Backoff", status: "retrying", start: at(6), end: at(11), isIdle: true },
            { id: "d", label: "Attempt 2", status: "completed", start: at(11), end: at(14) },
            { id: "e", label: "Wait for approval", status: "waiting", start: at(14), end: at(86_400), isIdle: true },
            { id: "f", label: "Attempt 3", status: "completed", start: at(86_400), end: at(86_405) },
          ]}
        />
      </Shelf>
      <Shelf name="Trace" column>
        <Trace items={SPANS} selected={picked} onSelect={setPicked} onLoad={() => {}} />
      </Shelf>
    </>
  );
}
