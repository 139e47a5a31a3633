import type { SavedView } from "@millrace/contract/projects/saved-views";

/** A dashboard is a saved view that holds figures, each as URL parameters of the page Explore. */
const MARK = "dashboard";
const FIGURE = /^figure_(\d+)$/;

/** A saved view has at most 30 parameters. */
export const MAX_FIGURES = 24;

export function isBoard({ query }: SavedView): boolean {
  return query[MARK] !== undefined;
}

export function figuresOf({ query }: SavedView): string[] {
  const numbered = Object.entries(query).flatMap(([name, figure]): [number, string][] => {
    const [, nth] = FIGURE.exec(name) ?? [];
    return nth === undefined ? [] : [[Number(nth), figure]];
  });
  return numbered.sort(([a], [b]) => a - b).map(([, figure]) => figure);
}

export function boardOf(figures: readonly string[]): SavedView["query"] {
  return { [MARK]: "1", ...Object.fromEntries(figures.map((figure, nth) => [`figure_${nth + 1}`, figure])) };
}
