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

/** A row of the roll-ups: a group in a time, beside the environment and the job. */
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

/** What is to be added to the roll-ups: days of groups, and all times of jobs, by the key of their row. */
export type Book = { groups: Entry[]; jobs: Map<string, Entry> };

export function newBook(): Book {
  return { groups: [], jobs: new Map() };
}

/** Dispatches are booked where they ended; how busy they kept a time, in each time that they touched. */
export function bookDispatches(book: Book, sums: readonly DispatchSum[]): void {
  for (const sum of sums) {
    const { wall_ms, longest_ms, compute_microusd, reported_microusd, dispatches, ...key } = sum;
    const amounts = { compute_microusd, wall_ms, dispatches };
    if (key.kind !== "job") book.groups.push(newEntry({ ...key, grain: "1d" }, amounts));
    else bookJob(book, sum, { ...amounts, longest_ms, dispatch_reported_microusd: reported_microusd });
  }
}

function bookJob({ jobs }: Book, sum: DispatchSum, amounts: Amounts): void {
  const { secs, at_s, began_s, dispatches, wall_ms, first_ms, last_ms } = sum;
  const name = outcomeOf(sum);
  const add = (at_s: number, some: Amounts) => addTo(jobs, { ...sum, name, at_s, grain: grainOf(secs) }, some);
  add(at_s, { ...amounts, busy_ms: began_s === at_s ? wall_ms : last_ms });
  if (began_s < at_s) add(began_s, { busy_ms: first_ms });
  for (let between_s = began_s + secs; between_s < at_s; between_s += secs)
    add(between_s, { busy_ms: secs * 1_000 * dispatches });
}

export function bookReports(book: Book, sums: readonly ReportSum[]): void {
  for (const sum of sums) {
    if (sum.kind === "job") addTo(book.jobs, { ...sum, grain: grainOf(sum.secs) }, sum);
    else book.groups.push(newEntry({ ...sum, grain: "1d" }, sum));
  }
}

/** All rows that the book has: hours are made of minutes, days of hours. */
export function entriesOf({ groups, jobs }: Book): Entry[] {
  for (const [finer, grain] of STEPS) {
    for (const entry of [...jobs.values()]) if (entry.grain === finer) addTo(jobs, { ...entry, grain }, entry);
  }
  return [...jobs.values(), ...groups];
}

const STEPS = [
  ["1m", "1h"],
  ["1h", "1d"],
] as const;

function grainOf(secs: number): Grain {
  if (secs === GRAIN_SECS["1m"]) return "1m";
  return secs === GRAIN_SECS["1h"] ? "1h" : "1d";
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

/** The largest number that is kept exactly: beyond it a sum would be rounded. */
export function addAmounts(to: Required<Amounts>, amounts: Amounts): void {
  for (const name of AMOUNTS) to[name] = Math.min(to[name] + (amounts[name] ?? 0), Number.MAX_SAFE_INTEGER);
  to.longest_ms = Math.max(to.longest_ms, amounts.longest_ms ?? 0);
}
