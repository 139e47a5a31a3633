import { ENDED } from "../../../flow/runs/states.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import { NIL_ID } from "../reports/series.ts";
import { sketchOf } from "./sketch.ts";
import { type Tallies, tally } from "./tallies.ts";

export type Decision = {
  project_id: string;
  workflow_run_id: string;
  ordinal: number;
  decision_type: string;
  detail: { status?: string } | null;
  created_at: string;
  position: number | null;
};

type DecidedRun = {
  workflow_run_id: string;
  workflow_id: string;
  version_id: string;
  environment_id: string;
  status: string;
  created_at: string;
  started_at: string | null;
};

/** The first decision of a run, its ends and its resets; other decisions are not read. */
export const COUNTED_DECISIONS = sql`(l.ordinal = 1 or l.decision_type in ('end', 'retry'))`;

/** Counts decisions on workflow runs: beginnings, ends and resets. */
export async function countDecisions(
  tx: Ctx & InTransaction,
  tallies: Tallies,
  decisions: readonly Decision[],
): Promise<void> {
  const runs = await readRuns(tx, decisions);
  for (const decision of oncePerReset(decisions)) {
    const run = runs.get(decision.workflow_run_id);
    if (run) tallyDecision(tallies, decision, run);
  }
}

/**
 * A reset writes one decision per step, all in one statement; this keeps one per run. They share a position or, in a
 * recount, which has no positions, their time.
 */
export function oncePerReset(decisions: readonly Decision[]): Decision[] {
  const seen = new Set<string>();
  return decisions.filter(({ workflow_run_id, decision_type, created_at, position }) => {
    if (decision_type !== "retry") return true;
    const name = `${workflow_run_id} ${position ?? created_at}`;
    return !seen.has(name) && seen.add(name);
  });
}

/**
 * Every workflow run has exactly one first decision, counted at the time the run was created. A run whose data was
 * erased counts by its current status.
 */
function tallyDecision(tallies: Tallies, decision: Decision, run: DecidedRun): void {
  if (decision.ordinal === 1) add(tallies, decision, run, { at: run.created_at, name: "started" });
  const at = decision.created_at;
  if (decision.decision_type === "retry") add(tallies, decision, run, { at, name: "retried" });
  const end = ENDED.find((each) => each === (decision.detail?.status ?? run.status));
  if (decision.decision_type === "end" && end)
    add(tallies, decision, run, { at, name: end, value: msBetween(run.started_at, at) });
}

type Counted = { at: string; name: "started" | "retried" | (typeof ENDED)[number]; value?: number | undefined };

function add(tallies: Tallies, { project_id }: Decision, run: DecidedRun, { at, name, value }: Counted): void {
  const { workflow_id: subject_id, version_id, environment_id } = run;
  const rollup = { project_id, series: "workflows", at_ms: Date.parse(at), environment_id } as const;
  const amounts = { counts: { [name]: 1, duration_ms: value ?? 0 }, sketch: sketchOf(value) };
  tally(tallies, { ...rollup, split: "all", subject_id: NIL_ID }, amounts);
  tally(tallies, { ...rollup, split: "workflow", subject_id }, amounts);
  tally(tallies, { ...rollup, split: "workflow_version", subject_id, part: version_id }, amounts);
}

/** Undefined for a run that was canceled before it began, and began in a later retry. */
function msBetween(from: string | null, to: string): number | undefined {
  const ms = from === null ? -1 : Date.parse(to) - Date.parse(from);
  return ms < 0 ? undefined : ms;
}

async function readRuns(tx: Ctx & InTransaction, decisions: readonly Decision[]): Promise<Map<string, DecidedRun>> {
  const keys = decisions.map(({ project_id, workflow_run_id }) => ({ project_id, workflow_run_id, one: "" }));
  const given = [...new Map(keys.map((key) => [key.workflow_run_id, key])).values()];
  const { rows } = await sql<DecidedRun>`
    /* prepared */
    select w.* from json_to_recordset(${JSON.stringify(given)}::json) as k(project_id uuid, workflow_run_id uuid, one text)
    cross join lateral (
      select w.id as workflow_run_id, w.workflow_id, w.version_id, w.environment_id, w.status, w.created_at, w.started_at
      from workflow_runs w where w.project_id = k.project_id and w.id = k.workflow_run_id offset 0
    ) w
    where ${fewRows("k.one")}`.execute(tx.db);
  return new Map(rows.map((run) => [run.workflow_run_id, run]));
}
