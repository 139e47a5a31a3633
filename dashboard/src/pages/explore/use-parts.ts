import { useMemo } from "react";
import type { Query } from "../../api/call.ts";
import { useApi } from "../../api/use-api.ts";
import { useEnvironments } from "../../shell/place/use-places.ts";
import { useWorkflows } from "../shared-workflows/use-workflows.ts";
import { useJobs } from "../use-jobs.ts";
import type { Group } from "./metrics.ts";

/** More lines than this cannot be distinguished, and each is a request unless the source has `groupBy` for the group. */
export const MAX_PARTS = 8;

/** The label of a line that is not split. */
export const WHOLE = "All";

type Part = { label: string; filter: Query };
type Named = { id: string; slug: string; name: string };
type Busiest = { data: { job_id?: string; workflow_id?: string }[] };
const NOT_SPLIT: Part[] = [{ label: WHOLE, filter: {} }];

const PARAMETERS = { job: "job_id", workflow: "workflow_id", environment: "environment_id" } as const;

/** Reports that are ordered by number of runs, highest first. */
const BUSIEST = { job: "/v1/analytics/jobs/by-version", workflow: "/v1/analytics/workflows/completion-rates" };

/**
 * The parts that are compared: jobs, environments or workflows by name, or, if there are too many, the busiest first.
 * A filter that names one of them leaves only that one. Undefined until they are known.
 */
export function useParts(group: Group, query: Query): Part[] | undefined {
  const [jobs, workflows, environments] = [useJobs(), useWorkflows(), useEnvironments()];
  const parameter = PARAMETERS[group as keyof typeof PARAMETERS];
  const chosen = parameter && query[parameter];
  const named = useMemo(() => {
    const all: Iterable<Named> | undefined =
      group === "job" ? jobs?.values() : group === "workflow" ? workflows?.values() : environments;
    const found = all && [...all].filter(({ id, slug }) => chosen === undefined || chosen === id || chosen === slug);
    return found?.sort((a, b) => a.name.localeCompare(b.name));
  }, [group, jobs, workflows, environments, chosen]);
  const busiest = useBusiest(group, query, (named?.length ?? 0) > MAX_PARTS);
  return useMemo(() => {
    if (!parameter) return NOT_SPLIT;
    if (!busiest) return undefined;
    const rank = ({ id }: Named) => (busiest.has(id) ? [...busiest].indexOf(id) : busiest.size);
    return named
      ?.toSorted((a, b) => rank(a) - rank(b))
      .map(({ id, name }) => ({ label: name, filter: { [parameter]: id } }));
  }, [parameter, named, busiest]);
}

/** Ids in the order of their runs in this period. Empty if they need not be ordered, undefined until it is known. */
function useBusiest(group: Group, { from, to, environment_id }: Query, isOn: boolean): Set<string> | undefined {
  const path = BUSIEST[group as keyof typeof BUSIEST];
  const isRanked = isOn && path !== undefined;
  const period = { from, to, environment_id, limit: MAX_PARTS };
  const { data, error } = useApi<Busiest>(path ?? BUSIEST.job, period, isRanked);
  return useMemo(() => {
    if (!isRanked || error) return new Set();
    return data && new Set(data.data.map(({ job_id, workflow_id }) => job_id ?? workflow_id ?? ""));
  }, [isRanked, error, data]);
}
