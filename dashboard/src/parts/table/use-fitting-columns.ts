import { useLayoutEffect, useMemo, useState } from "react";
import type { Column } from "./table-columns.tsx";

/** Both edges of a list at their widest, and the checkboxes. */
const EDGES = 48;
export const BOXES = 36;
/** Space between a number and the following text. */
export const AFTER_NUMBER_PX = 16;

/** The columns that fit without horizontal scrolling. Stable while they do not change. */
export function useFittingColumns<Row>(columns: Column<Row>[], list: HTMLElement | null, hasBoxes: boolean) {
  const [left, setLeft] = useState<string>("");
  useLayoutEffect(() => {
    if (!list) return;
    const fit = () => setLeft(hiddenColumns(columns, list.clientWidth - EDGES - (hasBoxes ? BOXES : 0)).join(" "));
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(list);
    return () => observer.disconnect();
  }, [columns, list, hasBoxes]);
  return useMemo(() => {
    const out = new Set(left.split(" "));
    return left === "" || !list ? columns : columns.filter(({ id }) => !out.has(id));
  }, [columns, left, list]);
}

/** Hides columns by priority until the others fit. */
function hiddenColumns<Row>(columns: Column<Row>[], width: number): string[] {
  const out: string[] = [];
  let shown = columns;
  while (minWidth(shown) > width) {
    const next = shown
      .filter(({ hidePriority }) => hidePriority)
      .sort((a, b) => (b.hidePriority ?? 0) - (a.hidePriority ?? 0))[0];
    if (!next) break;
    out.push(next.id);
    shown = shown.filter((column) => column !== next);
  }
  return out;
}

/** Width of the columns, without edges and checkboxes. */
export function minWidth<Row>(columns: Column<Row>[]): number {
  return columns.reduce((sum, column, nth) => sum + minOf(column.width) + gapBefore(columns, nth), 0);
}

/** `120px`, or the minimum of `minmax(160px, 2fr)`. */
function minOf(width: string): number {
  return Number(/(\d+)px/.exec(width)?.[1] ?? 0);
}

function gapBefore<Row>(columns: Column<Row>[], nth: number): number {
  return columns[nth]?.align !== "end" && columns[nth - 1]?.align === "end" ? AFTER_NUMBER_PX : 0;
}
