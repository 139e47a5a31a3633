import { ME } from "../api/me.ts";
import { queryClient } from "../api/query-client.ts";
import { listQuery } from "../api/use-api.ts";
import { allPages } from "../pages/all-pages.tsx";
import { placeOf } from "./place/place.ts";
import { recallPlace } from "./place/recall-place.ts";

/** Preloads the caller, the code of the page and its first rows in parallel, before rendering. */
export function preload(): void {
  const search = Object.fromEntries(new URLSearchParams(location.search));
  if (search.code === undefined) void queryClient.prefetchQuery(ME);
  const [, p, project = "", environment = "", ...rest] = location.pathname.split("/").map(decoded);
  const row = p === "p" ? allPages.find(({ path }) => patternOf(path).test(rest.join("/"))) : undefined;
  void row?.load();
  // A returning user is probably still signed in.
  const list = recallPlace() && row?.opensWith?.(search, placeOf(project, environment).environmentFilter);
  if (list) void queryClient.prefetchInfiniteQuery(listQuery(project, list.path, list.query));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // the router shows the not-found page
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\$\w+/g, "[^/]+")}/?$`);
}
