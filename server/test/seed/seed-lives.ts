import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { appendRunChanges } from "./append-changes.ts";

/** Inserts complete runs directly with their transitions, at any time, for tests of counts and analytics. */

export type SeedLife = {
  job_id: string;
  job_version_id: string;
  environment_id: string;
  created_at: string;
  id?: string;
  trigger_type?: string;
  step_ref?: string;
  /** Absent: it never started. */
  started_at?: string;
  /** The times of failed attempts that were retried. */
  retried_at?: string[];
  /** Absent: it has not ended. */
  ended_at?: string;
  status?: "completed" | "failed" | "timed_out" | "canceled";
  error?: { code: string; message: string };
  http_status?: number;
  tags?: Record<string, string>;
};

/** All in one transaction. Returns their ids. */
export async function seedLives(connection: TestConnection, project_id: string, lives: SeedLife[]): Promise<string[]> {
  const rows = lives.map((life) => ({ ...life, id: life.id ?? newId(), ...stateOf(life) }));
  await runSql(connection, INSERT, [project_id, JSON.stringify(rows), JSON.stringify(rows.flatMap(transitionsOf))]);
  return rows.map(({ id }) => id);
}

function stateOf(life: SeedLife) {
  const attempts = life.started_at === undefined ? 0 : 1 + (life.retried_at ?? []).length;
  if (life.ended_at !== undefined) {
    const from = life.started_at === undefined ? "pending" : "running";
    return { status: life.status ?? "completed", prev_status: from, attempt: attempts };
  }
  return life.started_at === undefined
    ? { status: "pending", prev_status: null, attempt: 0 }
    : { status: "running", prev_status: "pending", attempt: attempts };
}

type SeededLife = Omit<SeedLife, "status"> & { id: string; status: string; attempt: number };

function transitionsOf(life: SeededLife): object[] {
  const { id: run_id, started_at, retried_at = [], ended_at, status, error = null, http_status = null } = life;
  const detail = { http_status, duration_ms: null, error };
  const transitions: object[] = [
    { from: null, to: "pending", cause: "created", attempt: 0, at: life.created_at, detail: null },
  ];
  if (started_at !== undefined)
    transitions.push({ from: "pending", to: "running", cause: "claimed", attempt: 1, at: started_at, detail: null });
  retried_at.forEach((at, nth) => {
    transitions.push({ from: "running", to: "pending", cause: "retry", attempt: nth + 1, at, detail });
    transitions.push({ from: "pending", to: "running", cause: "claimed", attempt: nth + 2, at, detail: null });
  });
  if (ended_at !== undefined) {
    const from = started_at === undefined ? "pending" : "running";
    transitions.push({ from, to: status, cause: status, attempt: life.attempt, at: ended_at, detail });
  }
  return transitions.map((transition, nth) => ({ run_id, ordinal: nth + 1, ...transition }));
}

const INSERT = `
  with inserted as (
    insert into runs (project_id, id, job_id, job_version_id, environment_id, status, prev_status, transition_count, attempt,
      max_attempts, timeout_secs, payload, tags, error, created_by, trigger_type, step_ref, scheduled_at, started_at,
      finished_at, created_at, updated_at)
    select $1, g.id, g.job_id, g.job_version_id, g.environment_id, g.status, g.prev_status, 1, g.attempt, 3, 300, '{}',
      coalesce(g.tags, '{}'), g.error, 'seed', coalesce(g.trigger_type, 'api'), g.step_ref, g.created_at, g.started_at,
      g.ended_at, g.created_at, g.created_at
    from jsonb_to_recordset($2::jsonb) as g(
      id uuid, job_id uuid, job_version_id uuid, environment_id uuid, status text, prev_status text, attempt int,
      tags jsonb, error jsonb, trigger_type text, step_ref text, created_at timestamptz(3), started_at timestamptz(3),
      ended_at timestamptz(3))
  ),
  logged as (
    insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
    select $1, m.run_id, m.ordinal, m."from", m."to", m.cause, m.attempt, m.detail, m.at
    from jsonb_to_recordset($3::jsonb) as m(
      run_id uuid, ordinal int, "from" text, "to" text, cause text, attempt int, detail jsonb, at timestamptz(3))
    returning *
  )
  ${appendRunChanges()}`;
