import { RUN_STATUSES } from "@millrace/contract/runs/runs";
import { MAP_ITEM_STATUSES, STEP_RUN_STATUSES } from "@millrace/contract/workflows/step-runs";
import { WORKFLOW_RUN_STATUSES } from "@millrace/contract/workflows/workflow-runs";
import { beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, runSql, type TestConnection } from "../../../test/world/database.ts";
import { newId } from "../../platform/ids.ts";
import {
  MAP_ITEM_TRANSITIONS,
  RUN_TRANSITIONS,
  STEP_TRANSITIONS,
  TRIGGER_TRANSITIONS,
  WORKFLOW_RUN_TRANSITIONS,
} from "./states.ts";

let connection: TestConnection;
beforeAll(async () => {
  connection = await cloneDatabase();
});

type Transition = readonly [from: string | null, to: string];
type Stateful = {
  table: "runs" | "event_triggers" | "workflow_runs" | "step_runs" | "map_items";
  transitions: readonly Transition[];
  statuses: readonly string[];
  /** The statuses with an end time. */
  ended: readonly string[];
  /** Inserts a row whose project, id and all other ids are $1. */
  seed: string;
};

const TABLES: Stateful[] = [
  {
    table: "runs",
    transitions: RUN_TRANSITIONS,
    statuses: RUN_STATUSES,
    ended: ["completed", "failed", "timed_out", "canceled"],
    seed: `insert into runs (project_id, id, job_id, job_version_id, environment_id, status, max_attempts, timeout_secs,
        payload, created_by, trigger_type, scheduled_at, created_at, updated_at)
      values ($1, $1, $1, $1, $1, 'pending', 1, 1, '{}', '', 'api', clock(), clock(), clock())`,
  },
  {
    table: "event_triggers",
    transitions: TRIGGER_TRANSITIONS,
    statuses: ["waiting", "received", "timed_out", "canceled"],
    ended: ["received", "timed_out", "canceled", "unknown"],
    seed: `insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
        job_run_id, status, expires_at, requested_at, created_at, updated_at)
      values ($1, $1, '', $1, 'job_run', 'event', 'event', $1, 'waiting', clock(), clock(), clock(), clock())`,
  },
  {
    table: "workflow_runs",
    transitions: WORKFLOW_RUN_TRANSITIONS,
    statuses: WORKFLOW_RUN_STATUSES,
    ended: ["completed", "failed", "timed_out", "canceled"],
    seed: `insert into workflow_runs (project_id, id, workflow_id, version_id, version, environment_id, status, payload,
        trigger_type, created_by, scheduled_at, created_at, updated_at)
      values ($1, $1, $1, $1, 1, $1, 'pending', '{}', 'api', '', clock(), clock(), clock())`,
  },
  {
    table: "step_runs",
    transitions: STEP_TRANSITIONS,
    statuses: STEP_RUN_STATUSES,
    ended: ["completed", "failed", "skipped", "canceled"],
    seed: `insert into step_runs (project_id, id, workflow_run_id, step_ref, position, type, status, created_at, updated_at)
      values ($1, $1, $1, '', 0, 'job', 'pending', clock(), clock())`,
  },
  {
    table: "map_items",
    transitions: MAP_ITEM_TRANSITIONS,
    statuses: MAP_ITEM_STATUSES,
    ended: ["completed", "failed", "canceled"],
    seed: `insert into map_items (project_id, workflow_run_id, step_ref, item_index, generation, status, item, created_at,
        updated_at)
      values ($1, $1, '', 0, 1, 'pending', '1', clock(), clock())`,
  },
];

const written = ([from, to]: Transition) => `${from ?? ""}>${to}`;

/** Every pair of statuses, and an unknown one. */
function allTransitions(statuses: readonly string[]): Transition[] {
  const named = [...statuses, "unknown"];
  return [null, ...named].flatMap((from) => named.map((to): Transition => [from, to]));
}

/**
 * The constraint checks only the new row, so any transition can be tried on any row; everything else in it is valid.
 */
async function violatedConstraint(
  { table, seed, ended }: Stateful,
  transition: Transition,
): Promise<string | undefined> {
  const id = newId();
  await runSql(connection, seed, [id]);
  const statement = `update ${table} set prev_status = $2, status = $3,
    finished_at = case when $3::text = any($4) then clock() end where project_id = $1`;
  return runSql(connection, statement, [id, ...transition, ended]).then(
    () => undefined,
    (error: { constraint?: string }) => error.constraint,
  );
}

describe.each(TABLES)("the legal transitions of $table in the database", (stateful) => {
  const { table, transitions, statuses, seed } = stateful;
  const legal = new Set(transitions.map(written));
  const isFinal = (status: string) => stateful.ended.includes(status);

  it("are accepted, and all others refused, as the table of states defines", async () => {
    const tried = allTransitions(statuses);
    const violations = await Promise.all(tried.map((transition) => violatedConstraint(stateful, transition)));
    const outcomes = tried.map((transition, i) => [written(transition), violations[i]]);
    expect(outcomes).toEqual(
      tried.map((transition) => [
        written(transition),
        legal.has(written(transition)) ? undefined : `${table}_transitions`,
      ]),
    );
  });

  it("are exactly those of the table of states in the catalog", async () => {
    const [constraint] = await runSql<{ text: string }>(
      connection,
      "select pg_get_constraintdef(oid) as text from pg_constraint where conname = $1",
      [`${table}_transitions`],
    );
    const pairs = [...(constraint?.text.matchAll(/'([a-z_]*>[a-z_]+)'/g) ?? [])].map((match) => match[1] ?? "");
    expect(pairs.toSorted()).toEqual([...legal].toSorted());
  });

  it("lead into each status", () => {
    const reachable = new Set(transitions.map(([, to]) => to));
    expect([...reachable].toSorted()).toEqual([...statuses].toSorted());
  });

  it("have an end time exactly if the status is final", async () => {
    const [from, to] = transitions.find(([before, after]) => before !== null && isFinal(after)) ?? [];
    const id = newId();
    await runSql(connection, seed, [id]);
    const end = `update ${table} set prev_status = $2, status = $3 where project_id = $1`;
    await expect(runSql(connection, end, [id, from, to])).rejects.toMatchObject({
      constraint: expect.stringMatching(new RegExp(`^${table}_check\\d*$`)),
    });
  });
});

describe("a final status", () => {
  const leaving = (transitions: readonly Transition[], ended: readonly string[]) =>
    transitions.filter(([from]) => from !== null && ended.includes(from)).map(written);
  const [runs, triggers, workflowRuns, steps] = TABLES;

  it("of a run and of a wait is never left", () => {
    expect(leaving(runs?.transitions ?? [], runs?.ended ?? [])).toEqual([]);
    expect(leaving(triggers?.transitions ?? [], triggers?.ended ?? [])).toEqual([]);
  });

  it("of a workflow run is left for running, of a step for pending, or for skipped by a manual skip", () => {
    const ended = ["completed", "failed", "timed_out", "canceled"];
    expect(leaving(workflowRuns?.transitions ?? [], workflowRuns?.ended ?? []).toSorted()).toEqual(
      ended.map((status) => `${status}>running`).toSorted(),
    );
    expect(leaving(steps?.transitions ?? [], steps?.ended ?? []).toSorted()).toEqual(
      [
        ...["completed", "failed", "skipped", "canceled"].map((status) => `${status}>pending`),
        "failed>skipped",
        "canceled>skipped",
      ].toSorted(),
    );
  });
});
