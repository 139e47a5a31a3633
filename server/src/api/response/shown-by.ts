import type { Route } from "../../platform/route.ts";

/** The route that shows what this one changes: PUT and PATCH accept what GET on their path returns. */
export function shownBy(rows: readonly Route[], { method, path }: Route): Route | undefined {
  if (!changesShown(method)) return undefined;
  return rows.find((row) => row.method === "GET" && row.path === path);
}

export function changesShown(method: Route["method"]): boolean {
  return method === "PUT" || method === "PATCH";
}
