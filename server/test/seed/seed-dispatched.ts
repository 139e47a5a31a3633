import { newId } from "../../src/platform/ids.ts";
import { idAt } from "../requests/id-at.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { appendRunChanges, appendRunRows } from "./append-changes.ts";

/** Inserts a run directly as its dispatches would have left it, for tests and benchmarks of costs. */
export type Dispatched = {
  job: { id: string; version_id: string };
  /** When the first dispatch began. */
  at: string;
  /** Sequential, a second apart. By default each completes at once. */
  dispatches?: { ms: number; to?: string; cause?: string; cost?: number; provider?: string; model?: string }[];
  environment?: string;
  tags?: Record<string, string>;
  concurrency_key?: string;
  created_by?: string;
  trigger_type?: string;
  schedule_id?: string;
  workflow_run_id?: string;
  payload?: unknown;
  result?: unknown;
};

/** Returns their ids, in order. */
export async function seedDispatched(
  connection: TestConnection,
  project_id: string,
  runs: readonly Dispatched[],
): Promise<string[]> {
  const filled = runs.map(fill);
  const transitions = filled.flatMap((run) => run.transitions.map((transition) => ({ run_id: run.id, ...transition })));
  const usage = filled.flatMap((run) => run.usage.map((each) => ({ run_id: run.id, id: newId(), ...each })));
  const rows = filled.map(({ transitions: _transitions, usage: _usage, ...run }) => run);
  await runSql(connection, INSERT, [
    project_id,
    JSON.stringify(rows),
    JSON.stringify(transitions),
    JSON.stringify(usage),
  ]);
  return filled.map((run) => run.id);
}

const ENDED = new Set(["completed", "failed", "timed_out", "canceled"]);

function fill({ job, at, dispatches = [{ ms: 1_000 }], environment = "production", ...run }: Dispatched) {
  const id = idAt(at);
  let time = Date.parse(at);
  const transitions = [transition(1, { from: null, to: "pending", cause: "created", attempt: 0, time })];
  const usage: { attempt: number; cost: number; provider: string | null; model: string | null; at: string }[] = [];
  let tries = 0;
  dispatches.forEach(({ ms, to = "completed", cause = to, cost, provider = null, model = null }, index) => {
    const attempt = index + 1;
    transitions.push(
      transition(transitions.length + 1, { from: "pending", to: "running", cause: "claimed", attempt, time }),
    );
    time += ms;
    if (cost !== undefined) usage.push({ attempt, cost, provider, model, at: new Date(time).toISOString() });
    transitions.push(transition(transitions.length + 1, { from: "running", to, cause, attempt, time }));
    if (to === "failed" || to === "timed_out" || (to === "pending" && cause !== "drained")) tries++;
    time += 1_000;
  });
  const last = transitions.at(-1);
  const ended_at = last && ENDED.has(last.to_status) ? last.created_at : null;
  const cost = usage.reduce((sum, each) => sum + each.cost, 0);
  return {
    ...{
      id,
      job_id: job.id,
      job_version_id: job.version_id,
      environment,
      tries,
      cost,
      transitions,
      usage,
      at,
      ended_at,
    },
    ...{
      status: last?.to_status,
      prev_status: last?.from_status,
      attempt: dispatches.length,
      count: transitions.length,
    },
    ...{ tags: {}, created_by: "seed", trigger_type: "api", payload: {}, result: null, ...run },
  };
}

type Transition = { from: string | null; to: string; cause: string; attempt: number; time: number };

function transition(ordinal: number, { from, to, cause, attempt, time }: Transition) {
  return { ordinal, from_status: from, to_status: to, cause, attempt, created_at: new Date(time).toISOString() };
}

const INSERT = `
  with inserted as (
    insert into runs (project_id, id, job_id, job_version_id, environment_id, status, prev_status, transition_count, attempt, tries_used,
      max_attempts, timeout_secs, payload, result, tags, concurrency_key, created_by, trigger_type, schedule_id,
      workflow_run_id, cost_microusd, scheduled_at, started_at, finished_at, created_at, updated_at)
    select $1, g.id, g.job_id, g.job_version_id, e.id, g.status, g.prev_status, g.count, g.attempt, g.tries, 3, 300, g.payload,
      g.result, g.tags, g.concurrency_key, g.created_by, g.trigger_type, g.schedule_id, g.workflow_run_id, g.cost, g.at, g.at,
      g.ended_at, g.at, g.at
    from jsonb_to_recordset($2::jsonb) as g(id uuid, job_id uuid, job_version_id uuid, environment text, status text,
      prev_status text, count int, attempt int, tries int, payload jsonb, result jsonb, tags jsonb, concurrency_key text,
      created_by text, trigger_type text, schedule_id uuid, workflow_run_id uuid, cost bigint, at timestamptz(3),
      ended_at timestamptz(3))
    join environments e on e.project_id = $1 and e.slug = g.environment
  ),
  moved as (
    insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
    select $1, g.* from jsonb_to_recordset($3::jsonb) as g(
      run_id uuid, ordinal int, from_status text, to_status text, cause text, attempt int, created_at timestamptz(3))
    returning *
  ),
  used as (
    insert into run_usage (project_id, run_id, id, attempt, provider, model, input_tokens, output_tokens, cost_microusd, created_at)
    select $1, g.run_id, g.id, g.attempt, g.provider, g.model, 10, 5, g.cost, g.at
    from jsonb_to_recordset($4::jsonb) as g(
      run_id uuid, id uuid, attempt int, provider text, model text, cost bigint, at timestamptz(3))
    returning *
  ),
  appended as (${appendRunRows("run_usage", "used")})
  ${appendRunChanges("moved")}`;
