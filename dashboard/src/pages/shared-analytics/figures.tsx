import { formatDuration, formatPercent, formatShort } from "../../parts/format.ts";
import type { Figure } from "./figure-table.tsx";

type Counts = { completed: number; failed: number; timed_out: number; canceled: number; success_rate: number | null };
type Percentiles = { p50_ms: number | null; p95_ms: number | null; p99_ms: number | null };

export function count<Row>(header: string, of: (row: Row) => number): Figure<Row> {
  return { header, value: of, show: (row) => formatShort(of(row)) };
}

export function duration<Row>(header: string, of: (row: Row) => number | null): Figure<Row> {
  return {
    header,
    value: of,
    show: (row) => {
      const ms = of(row);
      return ms === null ? "–" : formatDuration(ms);
    },
  };
}

export function rate<Row>(header: string, of: (row: Row) => number | null): Figure<Row> {
  return {
    header,
    value: of,
    show: (row) => {
      const part = of(row);
      return part === null ? "–" : formatPercent(part);
    },
  };
}

/** Columns for everything that finishes: counts by status and success rate. */
export function endFigures<Row extends Counts>(): Figure<Row>[] {
  return [
    count("Completed", (row) => row.completed),
    count("Failed", (row) => row.failed),
    count("Timed out", (row) => row.timed_out),
    count("Canceled", (row) => row.canceled),
    rate("Success", (row) => row.success_rate),
  ];
}

export function percentileFigures<Row extends Percentiles>(): Figure<Row>[] {
  return [
    duration("p50", (row) => row.p50_ms),
    duration("p95", (row) => row.p95_ms),
    duration("p99", (row) => row.p99_ms),
  ];
}
