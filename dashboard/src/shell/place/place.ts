import { useLocation, useParams, useRouter } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

/** Means all environments in the URL: no slug is a single hyphen. */
export const ALL_ENVIRONMENTS = "-";

export type Place = {
  /** Slug or id of the project; empty outside of one. */
  project: string;
  /** Slug of the environment, or `-`. */
  environment: string;
  /** Value of `environment_id` in lists; undefined for all. */
  environmentFilter: string | undefined;
  /** The URL of a page: `at("runs")`, `at("runs/0198…", { tab: "logs" })`. */
  at: (page: string, search?: Record<string, string | undefined>) => string;
};

/** The project and environment of the current URL. */
export function usePlace(): Place {
  const { project = "", environment = ALL_ENVIRONMENTS } = useParams({ strict: false }) as Partial<Place>;
  return useMemo(() => placeOf(project, environment), [project, environment]);
}

export function placeOf(project: string, environment: string): Place {
  return {
    project,
    environment,
    environmentFilter: environment === ALL_ENVIRONMENTS ? undefined : environment,
    at: (page, search = {}) =>
      `/p/${encodeURIComponent(project)}/${encodeURIComponent(environment)}/${page}${searchText(search)}`,
  };
}

function searchText(search: Record<string, string | undefined>): string {
  const given = Object.entries(search).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
  );
  const text = new URLSearchParams(given).toString();
  return text === "" ? "" : `?${text}`;
}

/** Opens the current page in another project or environment. An object page opens its list, since an object has one project. */
export function useOpenElsewhere(): (project: string, environment: string) => void {
  const { history } = useRouter();
  const page = useLocation({ select: ({ pathname }) => pathname.split("/")[4] }) || "runs";
  return (project, environment) => history.push(placeOf(project, environment).at(page));
}

/** URL parameters, and a function to change some of them; all others are kept, including unknown ones. */
export function useSearchParams() {
  const search = useLocation({ select: ({ search }) => search as Record<string, string | undefined> });
  const { navigate } = useRouter();
  const change = useCallback(
    (changes: Record<string, string | undefined>, options: { replace?: boolean } = {}) =>
      void navigate({
        to: ".",
        replace: options.replace ?? false,
        search: (before: Record<string, unknown>) =>
          Object.fromEntries(
            Object.entries({ ...before, ...changes }).filter(([, value]) => value !== undefined && value !== ""),
          ),
      } as never),
    [navigate],
  );
  return [search, change] as const;
}
