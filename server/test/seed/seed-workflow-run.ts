import type { StepStatus, WorkflowRunStatus } from "../../src/flow/runs/states.ts";
import type { StepDefinition } from "../../src/flow/workflows/plan/definition.ts";
import { newId } from "../../src/platform/ids.ts";
import { idAt } from "../requests/id-at.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { approvalStep, jobStep } from "./workflow-definition.ts";

/** Inserts workflow runs directly, in any state, for tests that read and operate them. */

export type SeedWorkflow = Partial<{
  slug: string;
  environment_id: string;
  max_concurrent_runs: number;
  max_parallel_steps: number;
  timeout_secs: number;
  steps: StepDefinition[];
}>;

export async function seedWorkflow(connection: TestConnection, project_id: string, workflow: SeedWorkflow = {}) {
  const [id, version_id] = [newId(), newId()];
  const steps = workflow.steps ?? [jobStep("a"), jobStep("b", { depends_on: ["a"] })];
  await runSql(
    connection,
    `with version as (
       insert into workflow_versions (project_id, id, workflow_id, version, steps, timeout_secs, max_parallel_steps,
         created_by, created_at)
       values ($1, $3, $2, 1, $5, $6, $7, 'seed', clock())
     )
     insert into workflows (project_id, id, slug, name, environment_id, version_id, current_version, version,
       max_concurrent_runs, created_by, created_at, updated_at)
     values ($1, $2, $4, 'Seeded', $8, $3, 1, 1, $9, 'seed', clock(), clock())`,
    [
      project_id,
      id,
      version_id,
      workflow.slug ?? `workflow-${id.slice(-12)}`,
      JSON.stringify(steps),
      workflow.timeout_secs ?? null,
      workflow.max_parallel_steps ?? null,
      workflow.environment_id ?? null,
      workflow.max_concurrent_runs ?? null,
    ],
  );
  return { id, version_id, steps };
}

type SeededWorkflow = Awaited<ReturnType<typeof seedWorkflow>>;

export type SeedStep = Partial<{
  status: StepStatus;
  output: unknown;
  error: { code: string; message: string };
  cause: string;
  cause_ref: string;
  run_id: string;
  started_at: string;
  finished_at: string;
}>;

export type SeedWorkflowRun = Partial<{
  id: string;
  workflow: SeededWorkflow;
  environment_id: string;
  status: WorkflowRunStatus;
  payload: unknown;
  tags: Record<string, string>;
  error: { code: string; message: string };
  error_count: number;
  trigger_type: string;
  schedule_id: string;
  batch_id: string;
  timeout_secs: number;
  deadline: string;
  scheduled_at: string;
  finished_at: string;
  created_at: string;
  blocked_on: string;
  /** By step_ref. Steps not listed are pending. A waiting step gets its trigger. */
  steps: Record<string, SeedStep>;
}>;

const CAME_FROM: Record<WorkflowRunStatus, WorkflowRunStatus | null> = {
  pending: null,
  running: null,
  paused: "running",
  completed: "running",
  failed: "running",
  timed_out: "running",
  canceled: "running",
};

const ENDED = new Set(["completed", "failed", "timed_out", "skipped", "canceled"]);

/** Returns its id. */
export async function seedWorkflowRun(
  connection: TestConnection,
  project_id: string,
  { workflow, steps = {}, ...run }: SeedWorkflowRun = {},
): Promise<string> {
  const of = workflow ?? (await seedWorkflow(connection, project_id));
  const id = run.id ?? (run.created_at === undefined ? newId() : idAt(run.created_at));
  await runSql(connection, INSERT_RUN, [project_id, JSON.stringify(fillRun({ ...run, id }, of))]);
  const rows = of.steps.map((step, position) => fillStep(step, position, steps[step.step_ref] ?? {}));
  await runSql(connection, INSERT_STEPS, [project_id, id, JSON.stringify(rows)]);
  return id;
}

function fillRun(run: Omit<SeedWorkflowRun, "workflow" | "steps">, { id: workflow_id, version_id }: SeededWorkflow) {
  const status = run.status ?? "running";
  return {
    workflow_id,
    version_id,
    payload: { seeded: true },
    tags: {},
    error_count: 0,
    trigger_type: "api",
    ...run,
    status,
    prev_status: CAME_FROM[status],
    is_started: status !== "pending",
    is_ended: ENDED.has(status),
  };
}

function fillStep({ step_ref, type }: StepDefinition, position: number, step: SeedStep) {
  const status = step.status ?? "pending";
  const isWaiting = status === "waiting";
  return {
    id: newId(),
    step_ref,
    type,
    position,
    ...step,
    status,
    prev_status: status === "pending" ? null : status === "completed" || status === "failed" ? "running" : "pending",
    event_trigger_id: isWaiting ? newId() : null,
    is_ended: ENDED.has(status),
  };
}

const INSERT_RUN = `
  insert into workflow_runs (project_id, id, workflow_id, version_id, version, environment_id, status, prev_status,
    payload, tags, error, error_count, trigger_type, created_by, schedule_id, batch_id, timeout_secs, blocked_on,
    scheduled_at, started_at, deadline, paused_at, finished_at, created_at, updated_at)
  select $1, g.id, g.workflow_id, g.version_id, 1, coalesce(g.environment_id, e.id), g.status, g.prev_status, g.payload,
    g.tags, g.error, g.error_count, g.trigger_type, 'seed', g.schedule_id, g.batch_id, g.timeout_secs, g.blocked_on,
    coalesce(g.scheduled_at, clock()), case when g.is_started then clock() end, g.deadline,
    case when g.status = 'paused' then clock() end, case when g.is_ended then coalesce(g.finished_at, clock()) end,
    coalesce(g.created_at, clock()), clock()
  from jsonb_to_record($2::jsonb) as g(
    id uuid, workflow_id uuid, version_id uuid, environment_id uuid, status text, prev_status text, payload jsonb,
    tags jsonb, error jsonb, error_count int, trigger_type text, schedule_id uuid, batch_id uuid, timeout_secs int,
    blocked_on text, scheduled_at timestamptz, deadline timestamptz, finished_at timestamptz, created_at timestamptz,
    is_started boolean, is_ended boolean)
  join environments e on e.project_id = $1 and e.slug = 'production'`;

const INSERT_STEPS = `
  with given as materialized (
    select * from jsonb_to_recordset($3::jsonb) as g(
      id uuid, step_ref text, position int, type text, status text, prev_status text, output jsonb, error jsonb,
      cause text, cause_ref text, run_id uuid, event_trigger_id uuid, started_at timestamptz, finished_at timestamptz,
      is_ended boolean)
  ),
  stepped as (
    insert into step_runs (project_id, id, workflow_run_id, step_ref, position, type, status, prev_status, output, error,
      cause, cause_ref, run_id, event_trigger_id, started_at, finished_at, created_at, updated_at)
    select $1, id, $2, step_ref, position, type, status, prev_status, output, error, cause, cause_ref, run_id,
      event_trigger_id, coalesce(started_at, case when status <> 'pending' then clock() end),
      case when is_ended then coalesce(finished_at, clock()) end, clock(), clock()
    from given
  )
  insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
    workflow_run_id, workflow_step_run_id, generation, status, timeout_secs, expires_at, requested_at, created_at,
    updated_at)
  select $1, g.event_trigger_id, 'key-of-' || g.id, w.environment_id, 'workflow_step',
    case when g.type = 'sleep' then 'sleep' else 'event' end,
    case g.type when 'wait_for_event' then 'event' else g.type end, $2, g.id, 1, 'waiting', 3600,
    clock() + interval '1 hour', clock(), clock(), clock()
  from given g join workflow_runs w on w.project_id = $1 and w.id = $2
  where g.event_trigger_id is not null`;

/** As long as an id, so that a response with it in a path has the same length as one with an unknown id. */
export const SEEDED_STEP = "step".padEnd(36, "p");

/** A workflow run with one step that the route at this path can act on. Returns its id. */
export async function seedWorkflowRunFor(connection: TestConnection, project_id: string, path: string) {
  const isDecision = path.endsWith("/approve") || path.endsWith("/reject");
  const steps = [isDecision ? approvalStep(SEEDED_STEP) : jobStep(SEEDED_STEP)];
  const workflow = await seedWorkflow(connection, project_id, { steps });
  // A stream closes when the run ends.
  const hasFailed = ["/retry", "/replay-subtree", "/stream", "/data"].some((end) => path.endsWith(end));
  const status = isDecision ? "waiting" : hasFailed ? "failed" : "pending";
  return seedWorkflowRun(connection, project_id, {
    workflow,
    status: hasFailed ? "failed" : "running",
    steps: { [SEEDED_STEP]: { status } },
  });
}
