import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { Environment } from "@millrace/contract/projects/environments";
import type { Project } from "@millrace/contract/projects/projects";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { call } from "../../api/call.ts";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { ALL_ENVIRONMENTS, usePlace } from "./place.ts";

export function useProjects() {
  const isAllowed = useMay("projects:read");
  return useQuery({
    queryKey: ["projects"],
    queryFn: ({ signal }) => call<Page<Project>>("GET", "/v1/projects", { query: { limit: 100 }, signal }),
    enabled: isAllowed,
    staleTime: 5 * 60_000,
  });
}

export function useEnvironments(): Environment[] {
  return useEnvironmentPage().data?.data ?? NONE;
}

export function useEnvironmentPage() {
  const isAllowed = useMay("environments:read");
  return useApi<Page<Environment>>("/v1/environments", { limit: 100, order: "asc" }, isAllowed);
}

const NONE: Environment[] = [];

/** Whether a change of the stream belongs to the environment of the URL. The stream has ids, the URL a slug. */
export function useIsHere(): (change: StreamChange) => boolean {
  const { environmentFilter } = usePlace();
  const here = useEnvironments().find(({ id, slug }) => slug === environmentFilter || id === environmentFilter)?.id;
  return useCallback(
    ({ object: { environment_id } }) => here === undefined || (environment_id ?? here) === here,
    [here],
  );
}

/** The environments of the project, and "All environments". */
export function useOfferedEnvironments(): { slug: string; name: string }[] {
  const environments = useEnvironments();
  return useMemo(
    () => [
      ...environments.map(({ slug, name }) => ({ slug, name })),
      { slug: ALL_ENVIRONMENTS, name: "All environments" },
    ],
    [environments],
  );
}
