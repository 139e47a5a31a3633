import { useState } from "react";
import { Chart } from "../../parts/chart/chart.tsx";
import { Sparkline } from "../../parts/chart/sparkline.tsx";
import { Stat } from "../../parts/chart/stat.tsx";
import { Dag } from "../../parts/dag/dag.tsx";
import { Shelf } from "./shelf.tsx";

const TIMES = Array.from({ length: 48 }, (_, nth) => 1_763_200_000 + nth * 1_800);
const wave = (max: number, by: number) => TIMES.map((_, nth) => Math.round(max * (1.2 + Math.sin(nth / by))));
const NODES = [
  { id: "validate", label: "validate", status: "completed", kind: "job" },
  { id: "charge", label: "charge-card", status: "completed", kind: "job", detail: "1.2 s" },
  { id: "stock", label: "reserve-stock", status: "failed", kind: "job" },
  { id: "approve", label: "approval", status: "waiting", kind: "event" },
  { id: "ship", label: "ship", status: "pending", kind: "sub-workflow", isRunnable: true },
  {
    id: "mail",
    label: "send-receipt-with-a-name-that-is-long",
    status: "running",
    kind: "job",
    change: "added" as const,
  },
];
const EDGES = [
  { from: "validate", to: "charge", isCritical: true },
  { from: "validate", to: "stock" },
  { from: "charge", to: "approve", isCritical: true },
  { from: "stock", to: "ship" },
  { from: "approve", to: "ship", isCritical: true },
  { from: "charge", to: "mail" },
];

export function Charts() {
  const [selected, setSelected] = useState<string | undefined>("approve");
  return (
    <>
      <Shelf name="Stat, Sparkline" column>
        <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          <Stat
            label="Runs"
            value="12,480"
            change={0.12}
            hint="vs. previous day"
            chart={<Sparkline values={wave(10, 4)} label="Runs" />}
          />
          <Stat label="Success" value="98.2%" change={-0.01} hint="target 99%" />
          <Stat label="p95" value="1.8 s" change={0.2} isMoreBetter={false} />
          <Stat label="Loading" value={undefined} />
        </div>
        <div className="flex gap-6">
          <Sparkline values={wave(10, 3)} label="Bars" kind="bars" className="text-running" />
          <Sparkline values={[]} label="Nothing" />
        </div>
      </Shelf>
      <Shelf name="Chart" column>
        <Chart
          title="Throughput"
          kind="stacked"
          times={TIMES}
          series={[
            { label: "Completed", values: wave(100, 5), family: "success" },
            { label: "Failed", values: wave(12, 3), family: "failed" },
          ]}
          onBrush={() => {}}
        />
        <Chart
          title="Duration"
          times={TIMES}
          series={[
            { label: "p50", values: wave(200, 5) },
            { label: "p95", values: wave(600, 6), stroke: "dashed" },
            { label: "p99", values: wave(900, 7), stroke: "dotted" },
          ]}
          format={(ms) => `${ms} ms`}
        />
      </Shelf>
      <Shelf name="Dag" column>
        <Dag label="Order" nodes={NODES} edges={EDGES} height={300} selected={selected} onSelect={setSelected} />
      </Shelf>
    </>
  );
}
