import type { RunSum } from "../../../flow/budget/run-sums.ts";
import { outcomeOf } from "../../../flow/runs/dispatch/dispatch-cost.ts";
import { finestGrainSecs, GRAIN_SECS, type Grain } from "./costs-period.ts";
import type { ReportSum } from "./costs-reports.ts";

export const AMOUNTS = [
  "reported_microusd",
  "compute_microusd",
  "wall_ms",
  "dispatch_reported_microusd",
  "busy_ms",
  "dispatches",
  "reports",
  "input_tokens",
  "output_tokens",
] as const;
type Amounts = Partial<Record<(typeof AMOUNTS)[number] | "longest_ms", number>>;

/** The key of a rollup row: a group within a bucket, an environment and a job. */
export type EntryKey = {
  project_id: string;
  environment_id: string;
  job_id: string;
  kind: string;
  part: "named" | "none" | "other";
  name: string;
  value: string;
  grain: Grain;
  at_s: number;
};
export type Entry = EntryKey & Required<Amounts>;

/** Amounts to add to the rollups by the key of their row: days of groups, and all buckets of jobs. */
export type Costs = { groups: Map<string, Entry>; jobs: Map<string, Entry> };

export function newCosts(): Costs {
  return { groups: new Map(), jobs: new Map() };
}

/**
 * Adds dispatches to the bucket in which they ended, in the finest grain that is still kept, and their busy time in
 * every bucket they touched. Their groups are added by day.
 */
export function addDispatches(costs: Costs, sums: readonly RunSum[], now_ms: number): void {
  const fillings: Fillings = new Map();
  for (const sum of sums) {
    if (sum.from_status !== "running" || sum.began_s === null) continue;
    const dispatches = inGrain(sum, sum.began_s, finestGrainSecs(sum.at_s, now_ms));
    const { project_id, environment_id, job_id, wall_ms, compute_microusd } = sum;
    const owner = { project_id, environment_id, job_id };
    const amounts = { compute_microusd, wall_ms, dispatches: sum.count };
    for (const group of groupsOf(sum)) addToGroup(costs, { ...owner, ...group, at_s: dayOf(sum.at_s) }, amounts);
    const { secs, at_s } = dispatches;
    const key = { ...owner, ...JOB, name: outcomeOf(sum), grain: grainOf(secs), at_s };
    const { longest_ms, reported_microusd: dispatch_reported_microusd } = sum;
    addEnds(costs, key, dispatches, { ...amounts, longest_ms, dispatch_reported_microusd });
    recordFilling(fillings, key, dispatches);
  }
  for (const filling of fillings.values()) addBusyTime(costs, filling);
}

const JOB = { kind: "job", part: "named", value: "" } as const;
const MINUTE_SECS = GRAIN_SECS["1m"];

/** Dispatches that began in one bucket and ended in another, with the parts of their time in both. */
type Dispatches = {
  secs: number;
  at_s: number;
  began_s: number;
  count: number;
  wall_ms: number;
  first_ms: number;
  last_ms: number;
};

function inGrain(sum: RunSum, began_s: number, secs: number): Dispatches {
  const { count, wall_ms } = sum;
  const [at, began] = [sum.at_s - (sum.at_s % secs), began_s - (began_s % secs)];
  return {
    ...{ secs, at_s: at, began_s: began, count, wall_ms },
    first_ms: sum.first_ms + count * 1_000 * (began + secs - began_s - MINUTE_SECS),
    last_ms: sum.last_ms + count * 1_000 * (sum.at_s - at),
  };
}

function dayOf(at_s: number): number {
  return at_s - (at_s % GRAIN_SECS["1d"]);
}

/** The groups that the cost of a run belongs to, in addition to its job; `RUN_GROUPS` for usage that is reported. */
function groupsOf({ tags, concurrency_key, created_by, workflow_id, schedule_id }: RunSum) {
  type Group = Pick<EntryKey, "kind" | "part" | "name" | "value">;
  const named = (kind: string, name: string | null): Group => ({
    ...{ kind, part: name === null ? "none" : "named", name: name ?? "", value: "" },
  });
  const byTag = Object.entries(tags ?? {}).map(([name, value]): Group => ({ ...named("tag", name), value }));
  return [
    ...byTag,
    named("concurrency_key", concurrency_key),
    named("created_by", created_by),
    named("workflow", workflow_id),
    ...(schedule_id === null ? [] : [named("schedule", schedule_id)]),
  ];
}

/** The buckets in which they ended and began. */
function addEnds({ jobs }: Costs, key: EntryKey, dispatches: Dispatches, amounts: Amounts): void {
  const { at_s, began_s, wall_ms, first_ms, last_ms } = dispatches;
  addTo(jobs, key, { ...amounts, busy_ms: began_s === at_s ? wall_ms : last_ms });
  if (began_s < at_s) addTo(jobs, { ...key, at_s: began_s }, { busy_ms: first_ms });
}

/** Changes in the number of dispatches that fill whole buckets of a job, by the bucket they start at. */
type Filling = { key: EntryKey; secs: number; changes: Map<number, number> };
type Fillings = Map<string, Filling>;

/**
 * The buckets that dispatches fill completely. Only changes are recorded, so thousands of dispatches that last for days
 * costs each minute once rather than once each, which blocked the process for minutes.
 */
function recordFilling(fillings: Fillings, key: EntryKey, { secs, began_s, at_s, count }: Dispatches): void {
  if (began_s + secs >= at_s) return;
  const name = `${secs} ${key.name} ${key.job_id} ${key.environment_id} ${key.project_id}`;
  const { changes } = fillings.get(name) ?? { changes: new Map<number, number>() };
  fillings.set(name, { key, secs, changes });
  changes.set(began_s + secs, (changes.get(began_s + secs) ?? 0) + count);
  changes.set(at_s, (changes.get(at_s) ?? 0) - count);
}

function addBusyTime({ jobs }: Costs, { key, secs, changes }: Filling): void {
  const times = [...changes.keys()].toSorted((a, b) => a - b);
  let count = 0;
  for (const [index, from_s] of times.entries()) {
    count += changes.get(from_s) ?? 0;
    const until_s = count > 0 ? (times[index + 1] ?? from_s) : from_s;
    for (let at_s = from_s; at_s < until_s; at_s += secs)
      addTo(jobs, { ...key, at_s }, { busy_ms: secs * 1_000 * count });
  }
}

export function addReports(costs: Costs, sums: readonly ReportSum[]): void {
  for (const sum of sums) {
    if (sum.kind === "job") addTo(costs.jobs, { ...sum, grain: grainOf(sum.secs) }, sum);
    else addToGroup(costs, sum, sum);
  }
}

/** All collected rows, with hours built from minutes and days from hours. */
export function entriesOf({ groups, jobs }: Costs): Entry[] {
  for (const [finer, grain] of STEPS) {
    for (const entry of [...jobs.values()]) if (entry.grain === finer) addTo(jobs, { ...entry, grain }, entry);
  }
  return [...jobs.values(), ...groups.values()];
}

const STEPS = [
  ["1m", "1h"],
  ["1h", "1d"],
] as const;

function grainOf(secs: number): Grain {
  if (secs === GRAIN_SECS["1m"]) return "1m";
  return secs === GRAIN_SECS["1h"] ? "1h" : "1d";
}

/** Dispatches and reports of a group share one row. */
function addToGroup({ groups }: Costs, group: Omit<EntryKey, "grain">, amounts: Amounts): void {
  const key = { ...group, grain: "1d" } as const;
  const name = `${key.project_id} ${keyOf(key)}`;
  const found = groups.get(name);
  if (found) addAmounts(found, amounts);
  else groups.set(name, newEntry(key, amounts));
}

/** The key of a row within its project. */
export function keyOf({ kind, grain, at_s, environment_id, job_id, part, name, value }: EntryKey): string {
  return JSON.stringify([kind, grain, at_s, environment_id, job_id, part, name, value]);
}

function addTo(jobs: Costs["jobs"], key: EntryKey, amounts: Amounts): void {
  const at_s = key.at_s - (key.at_s % GRAIN_SECS[key.grain]);
  const name = `${key.grain} ${at_s} ${key.part} ${key.name} ${key.job_id} ${key.environment_id} ${key.project_id}`;
  const found = jobs.get(name);
  if (found) addAmounts(found, amounts);
  else jobs.set(name, newEntry({ ...key, at_s }, amounts));
}

function newEntry(key: EntryKey, amounts: Amounts): Entry {
  const { project_id, environment_id, job_id, kind, part, name, value, grain, at_s } = key;
  const entry = { project_id, environment_id, job_id, kind, part, name, value, grain, at_s, ...ZERO };
  addAmounts(entry, amounts);
  return entry;
}

const ZERO = { ...Object.fromEntries(AMOUNTS.map((name) => [name, 0])), longest_ms: 0 } as Required<Amounts>;

/** Capped at the largest exact number: a larger sum would be rounded. */
export function addAmounts(to: Required<Amounts>, amounts: Amounts): void {
  for (const name of AMOUNTS) to[name] = Math.min(to[name] + (amounts[name] ?? 0), Number.MAX_SAFE_INTEGER);
  to.longest_ms = Math.max(to.longest_ms, amounts.longest_ms ?? 0);
}
