import type { RunCondition } from "@millrace/contract/query-language/types";
import { RUN_STATUSES } from "@millrace/contract/runs/runs";
import { ENDED, hasEnded } from "../../../flow/runs/states.ts";
import { boundEnvironment } from "../../../platform/access/environments.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { firstIdAt, isId } from "../../../platform/ids.ts";
import { containedBy } from "./run-conditions.ts";
import { payloadTerms, tagTerm, wordTerm } from "./search-terms.ts";

/**
 * Where runs that meet some conditions can be found. Never too narrow: the conditions themselves are checked for each
 * run.
 */
export type SearchPlan = {
  /** The statuses they can have; null: any. */
  statuses: string[] | null;
  /** A matching run has at least one term of each of these lists. */
  terms: number[][];
  /** The lists whose terms do not change while a run waits. */
  lasting: number[][];
  /** Bounds of their ids. */
  above: string;
  below: string;
  /** A condition with its own index that is selective enough alone. */
  few: RunCondition | null;
};

const LIVING = RUN_STATUSES.filter((status) => !hasEnded(status));
const NARROWED: Record<string, readonly string[]> = {
  dead: ["failed", "timed_out"],
  unhandled: ["failed", "timed_out"],
  late: ["pending"],
  retrying: ["pending"],
  live: LIVING,
  ended: ENDED,
};
const MIN_ID = "00000000-0000-0000-0000-000000000000";
const GREATEST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/** Ids contain the clock of the instance that generated them, rows the clock of the database. */
const MAX_SKEW_MS = 3_600_000;
const FEW: ReadonlySet<string> = new Set(["batch", "parent", "replay", "schedule"]);

export function planSearch({ project_id, caller }: ProjectCtx, conditions: readonly RunCondition[]): SearchPlan {
  const bound = boundEnvironment(caller);
  const statuses = statusesOf(conditions);
  const lasting = [
    ...conditions.flatMap((each) => (each.key === "tag" ? [] : requestedTerms(project_id, each))),
    ...(bound === null ? [] : [[wordTerm(project_id, "env", bound)]]),
  ];
  const tags = conditions.flatMap((each) => (each.key === "tag" ? requestedTerms(project_id, each) : []));
  const terms = [...lasting, ...tags];
  const ends = statuses?.filter(hasEnded).map((status) => wordTerm(project_id, "status", status)) ?? [];
  return {
    statuses,
    // The status narrows the other terms; alone it has a sorted index.
    terms: terms.length > 0 && ends.length > 0 ? [...terms, ends] : terms,
    lasting,
    above: idsOfTimes(conditions, "since", -MAX_SKEW_MS).at(-1) ?? MIN_ID,
    below: idsOfTimes(conditions, "until", MAX_SKEW_MS)[0] ?? GREATEST_ID,
    few: conditions.find(isFew) ?? null,
  };
}

function isFew(condition: RunCondition): boolean {
  if ("negated" in condition && condition.negated) return false;
  if (condition.key === "is") return condition.value === "dead" || condition.value === "unhandled";
  if (condition.key === "text") return isId(condition.text);
  return FEW.has(condition.key);
}

function statusesOf(conditions: readonly RunCondition[]): string[] | null {
  let left: string[] = [...RUN_STATUSES];
  for (const condition of conditions) {
    if (condition.key === "status") {
      left = left.filter((status) => condition.values.includes(status as never) !== condition.negated);
    }
    const narrowed = condition.key === "is" && !condition.negated ? NARROWED[condition.value] : undefined;
    if (narrowed) left = left.filter((status) => narrowed.includes(status));
  }
  return left.length === RUN_STATUSES.length ? null : left;
}

function requestedTerms(project_id: string, condition: RunCondition): number[][] {
  if ("negated" in condition && condition.negated) return [];
  switch (condition.key) {
    case "payload":
      return payloadTerms(project_id, containedBy(condition)).map((term) => [term]);
    case "tag":
      return [condition.values.map((tag) => tagTerm(project_id, tag))];
    case "trigger":
    case "job":
    case "key":
    case "by":
    case "batch":
    case "workflow":
    case "parent":
    case "replay":
    case "schedule":
    case "env":
      return [condition.values.map((value) => wordTerm(project_id, condition.key, value))];
    default:
      return [];
  }
}

/** The first ids of the requested times, sorted. */
function idsOfTimes(conditions: readonly RunCondition[], key: "since" | "until", moved_ms: number): string[] {
  const times = conditions.flatMap((each) => (each.key === key && "at" in each ? [Date.parse(each.at)] : []));
  return times.map((ms) => firstIdAt(ms + moved_ms)).sort();
}
