import { outcomeOf } from "../../flow/dispatch-outcome.ts";
import type { DispatchSum } from "./costs-dispatches.ts";
import { GRAIN_SECS, type Grain } from "./costs-grains.ts";
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
export type Book = { groups: Map<string, Entry>; jobs: Map<string, Entry> };

export function newBook(): Book {
  return { groups: new Map(), jobs: new Map() };
}

/** Books dispatches in the bucket in which they ended, and their busy time in every bucket they touched. */
export function bookDispatches(book: Book, sums: readonly DispatchSum[]): void {
  const fillings: Fillings = new Map();
  for (const sum of sums) {
    const { wall_ms, longest_ms, compute_microusd, reported_microusd, dispatches, ...key } = sum;
    const amounts = { compute_microusd, wall_ms, dispatches };
    if (key.kind !== "job") {
      addToGroup(book, key, amounts);
      continue;
    }
    const named = { ...key, name: outcomeOf(sum), grain: grainOf(sum.secs) };
    bookEnds(book, named, sum, { ...amounts, longest_ms, dispatch_reported_microusd: reported_microusd });
    noteFilling(fillings, named, sum);
  }
  for (const filling of fillings.values()) bookFilling(book, filling);
}

/** The buckets in which they ended and began. */
function bookEnds({ jobs }: Book, key: EntryKey, sum: DispatchSum, amounts: Amounts): void {
  const { at_s, began_s, wall_ms, first_ms, last_ms } = sum;
  addTo(jobs, key, { ...amounts, busy_ms: began_s === at_s ? wall_ms : last_ms });
  if (began_s < at_s) addTo(jobs, { ...key, at_s: began_s }, { busy_ms: first_ms });
}

/** Changes in the number of dispatches that fill whole buckets of a job, by the bucket they start at. */
type Filling = { key: EntryKey; secs: number; changes: Map<number, number> };
type Fillings = Map<string, Filling>;

/**
 * The buckets that dispatches fill completely. Only changes are recorded, so thousands of dispatches that last for days
 * book each minute once rather than once each, which blocked the process for minutes.
 */
function noteFilling(fillings: Fillings, key: EntryKey, { secs, began_s, at_s, dispatches }: DispatchSum): void {
  if (began_s + secs >= at_s) return;
  const name = `${secs} ${key.name} ${key.job_id} ${key.environment_id} ${key.project_id}`;
  const { changes } = fillings.get(name) ?? { changes: new Map<number, number>() };
  fillings.set(name, { key, secs, changes });
  changes.set(began_s + secs, (changes.get(began_s + secs) ?? 0) + dispatches);
  changes.set(at_s, (changes.get(at_s) ?? 0) - dispatches);
}

function bookFilling({ jobs }: Book, { key, secs, changes }: Filling): void {
  const times = [...changes.keys()].toSorted((a, b) => a - b);
  let count = 0;
  for (const [nth, from_s] of times.entries()) {
    count += changes.get(from_s) ?? 0;
    const until_s = count > 0 ? (times[nth + 1] ?? from_s) : from_s;
    for (let at_s = from_s; at_s < until_s; at_s += secs)
      addTo(jobs, { ...key, at_s }, { busy_ms: secs * 1_000 * count });
  }
}

export function bookReports(book: Book, sums: readonly ReportSum[]): void {
  for (const sum of sums) {
    if (sum.kind === "job") addTo(book.jobs, { ...sum, grain: grainOf(sum.secs) }, sum);
    else addToGroup(book, sum, sum);
  }
}

/** All rows of the book, with hours built from minutes and days from hours. */
export function entriesOf({ groups, jobs }: Book): Entry[] {
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
function addToGroup({ groups }: Book, group: Omit<EntryKey, "grain">, amounts: Amounts): void {
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

function addTo(jobs: Book["jobs"], key: EntryKey, amounts: Amounts): void {
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
