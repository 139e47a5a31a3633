import { RUN_MOVES } from "../src/flow/states.ts";
import { peak } from "./sweep-line.ts";

/** What was seen of many runs, from three sides: the callers', the endpoint's and the database's. Times in ms. */
export type History = {
  /** Runs whose creation was answered with success. */
  acknowledged: string[];
  runs: { id: string; status: string; attempt: number; key: string | null; result: { attempt?: number } | null }[];
  transitions: Transition[];
  dispatches: { run_id: string; attempt: number; at: number }[];
  /** Calls of running jobs back to the service. */
  reports: { run_id: string; attempt: number; at: number; accepted: boolean }[];
  /** Instances that fell silent, and which attempts they held then. */
  faults: { at: number; held: { run_id: string; attempt: number }[] }[];
  max_per_key: number;
};

type Transition = {
  run_id: string;
  ordinal: number;
  from_status: string | null;
  to_status: string;
  cause: string;
  attempt: number;
  at: number;
};

/** Under a lease of 30 s and a sweep every 5 s. */
const TAKEN_OVER_WITHIN_MS = 35_000;
/** Of a busy machine: a sweep that is due begins this late. */
const SLACK_MS = 2_500;

const ENDED = new Set(["completed", "failed", "timed_out", "canceled"]);
const LEGAL = new Set(RUN_MOVES.map(([from, to]) => `${from}>${to}`));

/** Every breach of a promise that the history shows. */
export function checkHistory(history: History): string[] {
  const byRun = groupBy(
    history.transitions.toSorted((a, b) => a.ordinal - b.ordinal),
    (transition) => transition.run_id,
  );
  const logOf = (run_id: string) => byRun.get(run_id) ?? [];
  return [
    ...lost(history),
    ...history.runs.flatMap((run) => faultsOfRun(run, logOf(run.id))),
    ...repeatedAttempts(history),
    ...unclaimed(history, logOf),
    ...staleReports(history, logOf),
    ...tooMany(history, logOf),
    ...takenOverLate(history, logOf),
    ...tooManyRepeats(history),
  ];
}

function lost({ acknowledged, runs }: History): string[] {
  const known = new Set(runs.map((run) => run.id));
  return acknowledged.filter((id) => !known.has(id)).map((id) => `${id} was acknowledged and is lost`);
}

function faultsOfRun({ id, status, attempt, result }: History["runs"][number], log: Transition[]): string[] {
  const faults: string[] = [];
  const ends = log.filter((transition) => ENDED.has(transition.to_status));
  if (!ENDED.has(status)) faults.push(`${id} is stuck: ${status}`);
  if (ends.length > 1) faults.push(`${id} ended ${ends.length} times`);
  if (log.at(-1)?.to_status !== status) faults.push(`${id} is ${status}, and its log says ${log.at(-1)?.to_status}`);
  for (const [index, { from_status, to_status, ordinal }] of log.entries()) {
    if (ordinal !== index + 1) faults.push(`${id} lacks transition ${index + 1}`);
    if (!LEGAL.has(`${from_status}>${to_status}`)) faults.push(`${id} moved from ${from_status} to ${to_status}`);
    if (from_status !== (log[index - 1]?.to_status ?? null)) faults.push(`${id} moved from where it was not`);
  }
  const claims = log.filter(({ cause }) => cause === "claimed").map((transition) => transition.attempt);
  if (claims.some((each, nth) => each !== nth + 1)) faults.push(`${id} was claimed as ${claims.join(", ")}`);
  if (claims.length !== attempt) faults.push(`${id} is at attempt ${attempt} after ${claims.length} claims`);
  if (status === "completed" && result?.attempt !== attempt) {
    faults.push(`${id} has the result of attempt ${result?.attempt} at attempt ${attempt}`);
  }
  return faults;
}

function repeatedAttempts({ dispatches }: History): string[] {
  const last = new Map<string, number>();
  return dispatches
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ run_id, attempt }) => {
      const before = last.get(run_id) ?? 0;
      last.set(run_id, Math.max(before, attempt));
      return attempt > before ? [] : [`${run_id} was dispatched as attempt ${attempt} after ${before}`];
    });
}

type LogOf = (run_id: string) => Transition[];

function unclaimed({ dispatches }: History, logOf: LogOf): string[] {
  return dispatches
    .filter(
      ({ run_id, attempt }) => !logOf(run_id).some((each) => each.cause === "claimed" && each.attempt === attempt),
    )
    .map(({ run_id, attempt }) => `${run_id} was dispatched as attempt ${attempt}, which nobody claimed`);
}

/** From its claim until the run left `running`. */
function spanOf(log: Transition[], attempt: number): { from: number; to: number } | undefined {
  const claim = log.findIndex((each) => each.cause === "claimed" && each.attempt === attempt);
  if (claim < 0) return undefined;
  return { from: log[claim]?.at ?? 0, to: log[claim + 1]?.at ?? Number.POSITIVE_INFINITY };
}

/** The time of a report is when it was sent: what ended before that was over for it. */
function staleReports({ reports }: History, logOf: LogOf): string[] {
  return reports
    .filter(({ run_id, attempt, at, accepted }) => accepted && (spanOf(logOf(run_id), attempt)?.to ?? 0) < at)
    .map(({ run_id, attempt }) => `${run_id} took a report of attempt ${attempt}, which was over`);
}

function tooMany({ runs, max_per_key }: History, logOf: LogOf): string[] {
  const keyed = groupBy(
    runs.filter((run) => run.key !== null),
    (run) => run.key,
  );
  return [...keyed].flatMap(([key, some]) => {
    const spans = some.flatMap((run) =>
      Array.from({ length: run.attempt }, (_, nth) => spanOf(logOf(run.id), nth + 1) ?? []).flat(),
    );
    const most = peak(spans);
    return most > max_per_key ? [`${most} runs of ${key} ran at once; ${max_per_key} may`] : [];
  });
}

function takenOverLate({ faults }: History, logOf: LogOf): string[] {
  return faults.flatMap(({ at, held }) =>
    held
      .filter(({ run_id, attempt }) => {
        const span = spanOf(logOf(run_id), attempt);
        return span === undefined || span.to > at + TAKEN_OVER_WITHIN_MS + SLACK_MS;
      })
      .map(({ run_id, attempt }) => `attempt ${attempt} of ${run_id} was not taken over in time`),
  );
}

/** Only what a silent instance held may be repeated for it. */
function tooManyRepeats({ transitions, faults }: History): string[] {
  const held = new Set(faults.flatMap((fault) => fault.held.map(({ run_id, attempt }) => `${run_id} ${attempt}`)));
  return transitions
    .filter(({ cause, run_id, attempt }) => cause === "lease_lost" && !held.has(`${run_id} ${attempt}`))
    .map(({ run_id, attempt }) => `attempt ${attempt} of ${run_id} was given up, and its instance lived`);
}

function groupBy<T, K>(all: readonly T[], keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of all) {
    const some = groups.get(keyOf(each)) ?? [];
    some.push(each);
    groups.set(keyOf(each), some);
  }
  return groups;
}
