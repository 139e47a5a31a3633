import { signRunToken } from "../../src/platform/access/credentials/run-token.ts";
import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import type { World } from "../world/world.ts";
import { encryptHeaders, type RunningRun, runningRun } from "./running-run.ts";
import { seedJob, seedRuns } from "./seed-run.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about
export type WaitingRun = RunningRun & { trigger: any; event_key: string };

type Wait = { event_key?: string; timeout_secs?: number; notify_url?: string };

/** A run that has requested to wait for an event over HTTP, as a job does. */
export async function waitingRun(
  world: World,
  project: { id: string },
  wait: Wait = {},
  run: Parameters<typeof runningRun>[2] = {},
): Promise<WaitingRun> {
  const running = await runningRun(world, project, run);
  const event_key = wait.event_key ?? `key-${newId()}`;
  const response = await running.sdk.post("/wait-for-event", { ...wait, event_key });
  if (response.status !== 201) throw new Error(`the run is not waiting: ${response.text}`);
  return { ...running, trigger: response.body, event_key };
}

export type HeldRun = { run_id: string; attempt: number; lease_token: string; token: string };

/** Runs of one job, each with its own lease and dispatch token. */
export async function manyRunning(world: World, project: { id: string }, count: number): Promise<HeldRun[]> {
  const { id: job_id } = await seedJob(world.connection, project.id);
  await encryptHeaders(world, project.id);
  const runs = Array.from({ length: count }, () => ({ job_id, status: "running" as const }));
  await seedRuns(world.connection, project.id, runs);
  const rows = await runSql<Omit<HeldRun, "token"> & { deadline: Date }>(
    world.connection,
    `update run_queue q set deadline = clock() + interval '1 h' from runs r
     where r.id = q.run_id and r.job_id = $1 returning q.run_id, r.attempt, q.lease_token, q.deadline`,
    [job_id],
  );
  return rows.map(({ deadline, ...run }) => {
    const subject = { ...run, project_id: project.id, deadline: deadline.toISOString() };
    return { ...run, token: signRunToken(world.ctx, subject) };
  });
}

/** The current state of a run and its queue row. */
export async function runNow(connection: TestConnection, run_id: string) {
  const [row] = await runSql<{
    status: string;
    attempt: number;
    tries_used: number;
    waits: number;
    checkpoint: unknown;
    state: unknown;
    error: { code: string; message: string } | null;
    dead_lettered_at: Date | null;
    pause_requested: boolean;
    is_queued: boolean;
    blocked_on: string | null;
  }>(
    connection,
    `select r.*, q.run_id is not null as is_queued, q.blocked_on from runs r
     left join run_queue q on q.run_id = r.id where r.id = $1`,
    [run_id],
  );
  if (!row) throw new Error("no such run");
  return row;
}

/** The transitions of a run, as `from>to cause`. */
export async function transitionsOf(connection: TestConnection, run_id: string): Promise<string[]> {
  const rows = await runSql<{ move: string }>(
    connection,
    `select coalesce(from_status, '') || '>' || to_status || ' ' || cause as move from run_history
     where run_id = $1 order by ordinal`,
    [run_id],
  );
  return rows.map((row) => row.move);
}

/** The counters of a project, and the actual numbers. They must be equal. */
export async function countsOf(connection: TestConnection, project_id: string) {
  const [row] = await runSql<{ counted: Counts; present: Counts }>(
    connection,
    `select
       (select jsonb_build_object('active', coalesce(sum(active), 0), 'waiting', coalesce(sum(waiting), 0),
          'received', coalesce(sum(received), 0), 'timed_out', coalesce(sum(timed_out), 0),
          'canceled', coalesce(sum(canceled), 0)) from event_trigger_counts where project_id = $1) as counted,
       (select jsonb_build_object('active', count(*) filter (where status = 'waiting' and wait_kind = 'event'),
          'waiting', count(*) filter (where status = 'waiting'), 'received', count(*) filter (where status = 'received'),
          'timed_out', count(*) filter (where status = 'timed_out'),
          'canceled', count(*) filter (where status = 'canceled')) from event_triggers where project_id = $1) as present`,
    [project_id],
  );
  if (!row) throw new Error("no counts");
  return row;
}

type Counts = { active: number; waiting: number; received: number; timed_out: number; canceled: number };
