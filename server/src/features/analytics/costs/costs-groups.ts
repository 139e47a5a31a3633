import type { CostReport } from "@millrace/contract/cost-report";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { GroupSums, PlaceSums } from "./cost-queries.ts";
import type { Costs } from "./cost-sums.ts";
import { type NameOf, readNames } from "./costs-names.ts";

type Grouping = CostReport["jobs"];
type Group = Grouping["groups"][number];
type Groupings = Pick<
  CostReport,
  "jobs" | "environments" | "workflows" | "tags" | "concurrency_keys" | "created_by" | "schedules" | "models"
>;

export type Sums = {
  total: Costs;
  places: readonly PlaceSums[];
  groups: readonly GroupSums[];
  /** The values of one tag key do not overlap; those of several keys do. */
  isByTagKey: boolean;
};

/** Sums under display names; each grouping has a remainder that completes the total. */
export async function groupCosts(ctx: ProjectCtx, sums: Sums): Promise<Groupings> {
  const { total, places, groups, isByTagKey } = sums;
  const nameOf = await readNames(ctx, idsOf(sums));
  const of = (kind: string) => groups.filter((group) => group.kind === kind);
  const whole = (rows: (Group | undefined)[]) => withRest(total, rows);
  const tags = of("tag").map(textGroup);
  return {
    jobs: whole(places.flatMap((each) => (each.job_id === null ? [] : idGroup(nameOf, each.job_id, each)))),
    environments: whole(
      places.flatMap((each) => (each.environment_id === null ? [] : idGroup(nameOf, each.environment_id, each))),
    ),
    workflows: whole(of("workflow").map((each) => named(nameOf, each))),
    tags: isByTagKey ? whole(tags) : { groups: tags, other: null },
    concurrency_keys: whole(of("concurrency_key").map(textGroup)),
    created_by: whole(of("created_by").map(textGroup)),
    schedules: whole(of("schedule").map((each) => named(nameOf, each))),
    models: whole(of("model").map(textGroup)),
  };
}

function idsOf({ places, groups }: Sums) {
  const named = (kind: string) =>
    groups.filter((group) => group.kind === kind && group.part === "named").map((group) => group.name);
  return {
    jobs: places.flatMap(({ job_id }) => job_id ?? []),
    environments: places.flatMap(({ environment_id }) => environment_id ?? []),
    workflows: named("workflow"),
    schedules: named("schedule"),
  };
}

function named(nameOf: NameOf, sums: GroupSums): Group | undefined {
  return sums.part === "named" ? idGroup(nameOf, sums.name, sums) : textGroup(sums);
}

/** Groups that may not be shown become part of the remainder. */
function idGroup(nameOf: NameOf, id: string, sums: Costs): Group | undefined {
  const name = nameOf(id);
  return name === undefined ? undefined : { id, name, value: null, ...costsOf(sums) };
}

function textGroup(sums: GroupSums): Group {
  const { part, name, value } = sums;
  return { id: null, name: part === "named" ? name : null, value: value === "" ? null : value, ...costsOf(sums) };
}

function withRest(total: Costs, rows: readonly (Group | undefined)[]): Grouping {
  const groups = rows.filter((group) => group !== undefined);
  const other = costsOf(total);
  for (const group of groups) for (const name of NAMES) other[name] -= group[name];
  return { groups, other };
}

const NAMES = [
  "total_microusd",
  "reported_microusd",
  "compute_microusd",
  "wall_ms",
  "dispatches",
  "reports",
  "input_tokens",
  "output_tokens",
] as const;

function costsOf(sums: Costs): Costs {
  return Object.fromEntries(NAMES.map((name) => [name, sums[name]])) as Costs;
}
