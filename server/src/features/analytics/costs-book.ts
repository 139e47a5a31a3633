import { outcomeOf } from "../../flow/dispatch-outcome.ts";
import type { RunFacts } from "./costs-run-facts.ts";

export type Dispatch = {
  project_id: string;
  run_id: string;
  to_status: string;
  cause: string;
  ended_at: string;
  wall_ms: number;
  compute_microusd: number;
  reported_microusd: number;
};

export type Usage = {
  project_id: string;
  run_id: string;
  provider: string | null;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_microusd: number;
  created_at: string;
};

const AMOUNTS = [
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

/** A group that a row sums up, beside the environment and the job. */
type Group = { kind: string; part: "named" | "none" | "other"; name: string; value: string };

export type Entry = Required<Amounts> &
  Group & { project_id: string; grain: Grain; starts_at: string; environment_id: string; job_id: string };

/** What is to be added to the roll-ups, by the key of its row. */
export type Book = Map<string, Entry>;

export type Grain = "1m" | "1h" | "1d";
const JOB_GRAINS: readonly Grain[] = ["1m", "1h", "1d"];

export function newBook(): Book {
  return new Map();
}

/** A dispatch is booked where it ended; how busy it kept a time, in each time that it touched. */
export function bookDispatch(book: Book, run: RunFacts, dispatch: Dispatch): void {
  const { wall_ms, compute_microusd, reported_microusd } = dispatch;
  const ended_ms = Date.parse(dispatch.ended_at);
  const amounts = { compute_microusd, wall_ms, dispatches: 1 };
  const outcome = named("job", outcomeOf(dispatch));
  const ofJob = { ...amounts, longest_ms: wall_ms, dispatch_reported_microusd: reported_microusd };
  for (const grain of JOB_GRAINS) {
    add(book, run, { ...outcome, grain, at_ms: startOf(grain, ended_ms) }, ofJob);
    for (const { at_ms, busy_ms } of busyTimes(grain, ended_ms - wall_ms, ended_ms))
      add(book, run, { ...outcome, grain, at_ms }, { busy_ms });
  }
  for (const group of groupsOf(run)) add(book, run, { ...group, grain: "1d", at_ms: startOf("1d", ended_ms) }, amounts);
}

/** Usage is booked when it is reported: a dispatch may take hours. */
export function bookUsage(book: Book, run: RunFacts, usage: Usage): void {
  const { provider, model, input_tokens, output_tokens, cost_microusd } = usage;
  const at_ms = Date.parse(usage.created_at);
  const tokens = { input_tokens: input_tokens ?? 0, output_tokens: output_tokens ?? 0 };
  const amounts = { reported_microusd: cost_microusd, reports: 1, ...tokens };
  for (const grain of JOB_GRAINS) add(book, run, { ...nameless("job"), grain, at_ms: startOf(grain, at_ms) }, amounts);
  const isNamed = provider !== null || model !== null;
  const ofModel = isNamed ? named("model", provider ?? "", model ?? "") : nameless("model");
  for (const group of [...groupsOf(run), ofModel])
    add(book, run, { ...group, grain: "1d", at_ms: startOf("1d", at_ms) }, amounts);
}

function groupsOf({ tags, concurrency_key, created_by, workflow_id, schedule_id }: RunFacts): Group[] {
  return [
    ...Object.entries(tags).map(([name, value]) => named("tag", name, value)),
    concurrency_key === null ? nameless("concurrency_key") : named("concurrency_key", concurrency_key),
    named("created_by", origin(created_by)),
    workflow_id === null ? nameless("workflow") : named("workflow", workflow_id),
    ...(schedule_id === null ? [] : [named("schedule", schedule_id)]),
  ];
}

/** What was started by a run, a workflow run or an event is told by that kind: their ids are as many as runs. */
function origin(created_by: string): string {
  return /^(run|workflow_run|event):[0-9a-f-]{36}$/.exec(created_by)?.[1] ?? created_by;
}

function named(kind: string, name: string, value = ""): Group {
  return { kind, part: "named", name, value };
}

function nameless(kind: string): Group {
  return { kind, part: "none", name: "", value: "" };
}

type Place = Group & { grain: Grain; at_ms: number };

function add(book: Book, run: RunFacts, { at_ms, ...place }: Place, amounts: Amounts): void {
  const { project_id, environment_id, job_id } = run;
  const { kind, grain, part, name, value } = place;
  const key = JSON.stringify([project_id, kind, grain, at_ms, environment_id, job_id, part, name, value]);
  const found = book.get(key);
  const entry = found ?? newEntry({ ...place, project_id, environment_id, job_id, starts_at: isoOf(at_ms) });
  if (!found) book.set(key, entry);
  addAmounts(entry, amounts);
}

type Sums = Required<Amounts>;
const ZERO: Sums = { ...Object.fromEntries(AMOUNTS.map((name) => [name, 0])), longest_ms: 0 } as Sums;

function newEntry(key: Omit<Entry, keyof Amounts>): Entry {
  return { ...key, ...ZERO };
}

/** The largest number that is kept exactly: beyond it a sum would be rounded. */
export function addAmounts(to: Sums, amounts: Amounts): void {
  for (const name of AMOUNTS) to[name] = Math.min(to[name] + (amounts[name] ?? 0), Number.MAX_SAFE_INTEGER);
  to.longest_ms = Math.max(to.longest_ms, amounts.longest_ms ?? 0);
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

const STEP_MS = { "1m": 60_000, "1h": 3_600_000, "1d": 86_400_000 } as const;

function startOf(grain: Grain, ms: number): number {
  return Math.floor(ms / STEP_MS[grain]) * STEP_MS[grain];
}

function* busyTimes(grain: Grain, from_ms: number, to_ms: number) {
  const step_ms = STEP_MS[grain];
  for (let at_ms = startOf(grain, from_ms); at_ms < to_ms; at_ms += step_ms) {
    yield { at_ms, busy_ms: Math.min(to_ms, at_ms + step_ms) - Math.max(from_ms, at_ms) };
  }
}
