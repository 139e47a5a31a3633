import type { SavedView } from "@millrace/contract/projects/saved-views";

/** A dashboard is a saved view with charts, each stored as the URL parameters of the Explore page. */
const MARK = "dashboard";
const CHART = /^chart_(\d+)$/;

/** A saved view has at most 30 parameters. */
export const MAX_CHARTS = 24;

export function isBoard({ query }: SavedView): boolean {
  return query[MARK] !== undefined;
}

export function chartsOf({ query }: SavedView): string[] {
  const numbered = Object.entries(query).flatMap(([name, chart]): [number, string][] => {
    const [, nth] = CHART.exec(name) ?? [];
    return nth === undefined ? [] : [[Number(nth), chart]];
  });
  return numbered.sort(([a], [b]) => a - b).map(([, chart]) => chart);
}

export function boardOf(charts: readonly string[]): SavedView["query"] {
  return { [MARK]: "1", ...Object.fromEntries(charts.map((chart, nth) => [`chart_${nth + 1}`, chart])) };
}
