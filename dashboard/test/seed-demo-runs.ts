import { type SeedRun, seedRuns } from "../../server/test/seed/seed-run.ts";
import { runSql } from "../../server/test/world/database.ts";
import type { TestProject, World } from "../../server/test/world/world.ts";

const JOBS = ["Send receipt", "Resize image", "Sync customer", "Nightly report", "Charge card", "Summarize ticket"];
const ERRORS = [
  { code: "http_502", message: "The endpoint responded with 502: upstream connect error" },
  { code: "attempt_timeout", message: "The attempt took longer than 30 s." },
];

/** Runs of several jobs in every state. Returns the job ids. */
export async function seedDemoRuns(world: World, project: TestProject, count = 120): Promise<string[]> {
  const jobs: string[] = [];
  for (const name of JOBS) {
    const { body } = await project.api.post("/v1/jobs", {
      name,
      endpoint_url: "https://example.com/jobs",
      max_attempts: 3,
    });
    jobs.push(body.id);
  }
  await seedRuns(
    world.connection,
    project.id,
    Array.from({ length: count }, (_, nth) => demoRun(nth, count, jobs)),
  );
  for (const sql of LIVED) await runSql(world.connection, sql, [project.id]);
  return jobs;
}

/** Sets start delays and durations of 0.5 to 15 seconds, with matching transitions. */
const LIVED = [
  `update runs set scheduled_at = case when started_at is not null then created_at else scheduled_at end,
     started_at = case when started_at is not null
       then created_at + (150 + 37 * attempt) * interval '1 millisecond' end,
     finished_at = case when finished_at is not null
       then created_at + (400 + (('x' || substr(id::text, 30, 4))::bit(16)::int / 4.5)) * interval '1 millisecond' end,
     transition_count = case when started_at is not null and status <> 'running' then 3 else transition_count end,
     progress = case when status = 'running'
       then jsonb_build_object('percent', 10 + (('x' || substr(id::text, 35, 2))::bit(8)::int) / 3, 'message', 'Working', 'updated_at', clock()) end
   where project_id = $1`,
  `update run_transitions t
   set ordinal = r.transition_count, created_at = coalesce(r.finished_at, r.started_at + interval '700 milliseconds', r.created_at + interval '5 seconds'),
     detail = case when r.error is not null then jsonb_build_object('error', r.error) end
   from runs r where t.project_id = $1 and r.project_id = $1 and r.id = t.run_id and t.ordinal = 2 and r.status <> 'running'`,
  `update run_transitions t set created_at = r.started_at
   from runs r where t.project_id = $1 and r.project_id = $1 and r.id = t.run_id and t.ordinal = 2 and r.status = 'running'`,
  `insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
   select $1, id, 2, 'pending', 'running', 'claimed', attempt, started_at from runs where project_id = $1 and transition_count = 3`,
];

function demoRun(nth: number, count: number, jobs: string[]): SeedRun {
  const status = STATUSES[nth % STATUSES.length] ?? "completed";
  const isBad = status === "failed" || status === "timed_out";
  const isOld = nth < count - 12;
  return {
    job_id: jobs[nth % jobs.length] ?? "",
    // Open runs are among the newest; those that have not started are not due.
    status: isOld && (status === "running" || status === "pending") ? "completed" : status,
    ...(status === "pending" && !isOld && { scheduled_at: new Date(Date.now() + 20 * 60_000).toISOString() }),
    attempt:
      (status === "pending" && !isOld) || status === "paused" || status === "canceled" ? 0 : isBad ? 3 : 1 + (nth % 2),
    tags: TAGS[nth % TAGS.length] ?? {},
    payload: {
      user: { id: 40 + (nth % 7), plan: nth % 2 ? "gold" : "free" },
      amount: 1250 + nth,
      items: [{ sku: "a-1", count: 2 }],
      note: nth % 9 ? null : "Ring twice",
    },
    result: status === "completed" ? { ok: true, sent: 1 + (nth % 4) } : undefined,
    error: isBad ? ERRORS[nth % 2] : undefined,
    concurrency_key: nth % 3 === 0 ? `tenant_${nth % 12}` : undefined,
    trigger_type: ["api", "cron", "event", "api"][nth % 4] ?? "api",
    created_by: nth % 4 === 1 ? "schedule" : "api-key:checkout",
    is_dead_letter: status === "failed",
    // Spread over a day, denser towards a quarter of an hour ago, because other seeds are newer.
    created_at: new Date(Date.now() - 14 * 60_000 - (count - nth) ** 2 * 5_000).toISOString(),
  } as SeedRun;
}

const STATUSES = [
  "completed",
  "completed",
  "running",
  "completed",
  "failed",
  "completed",
  "pending",
  "completed",
  "waiting",
  "completed",
  "timed_out",
  "completed",
  "canceled",
  "completed",
  "paused",
  "completed",
] as const;
const TAGS: Record<string, string>[] = [
  { region: "eu" },
  { region: "us", team: "payments" },
  {},
  { urgent: "true" },
  { region: "eu", team: "growth", experiment: "checkout-copy-b" },
];
