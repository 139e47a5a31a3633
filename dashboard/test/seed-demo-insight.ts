import { senderOf } from "../../server/src/features/webhook-deliveries/sender.ts";
import { inTransaction } from "../../server/src/platform/database/transaction.ts";
import { notifySubscribers } from "../../server/src/platform/webhooks/notify-subscribers.ts";
import { jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import { type Dispatched, seedDispatched } from "../../server/test/seed/seed-dispatched.ts";
import { runSql } from "../../server/test/world/database.ts";
import type { TestProject, World } from "../../server/test/world/world.ts";

const NAMES = ["Charge card", "Resize image", "Send receipt", "Summarize ticket", "Sync customer"];
const MODELS = ["claude-sonnet", "gpt-mini", "embed-small"];
const HOUR_MS = 3_600_000;

/** A month of runs with costs, a nearly used budget, webhooks in every state, roles, members and policies. */
export async function seedDemoInsight(world: World, project: TestProject): Promise<{ deliveryId: string }> {
  const jobs = await jobsOf(project);
  await seedDispatched(
    world.connection,
    project.id,
    Array.from({ length: 700 }, (_, nth) => demoRun(nth, jobs)),
  );
  for (const sql of LIVED) await runSql(world.connection, sql, [project.id]);
  const deliveryId = await seedWebhooks(world, project);
  await seedAccess(project);
  await rollUp(world);
  const { body } = await project.api.get("/v1/analytics/costs");
  const amount = Math.ceil(body.total.total_microusd / 0.83);
  await project.api.put("/v1/project-budget", { monthly_budget_microusd: amount, thresholds: [50, 80, 100] });
  await rollUp(world);
  return { deliveryId };
}

/** Gives every run a queue wait and every failure a reason. */
const LIVED = [
  `update runs set scheduled_at = started_at - (60 + ('x' || substr(id::text, 35, 2))::bit(8)::int) * interval '1 millisecond'
   where project_id = $1 and finished_at is not null and scheduled_at >= started_at`,
  `update run_transitions t set detail = jsonb_build_object('http_status', 503, 'error', jsonb_build_object('code', 'http_503',
     'message', format('The endpoint responded with 503: no capacity for order %s', 1000 + (t.attempt * 7919 + extract(second from t.created_at)::int))))
   where project_id = $1 and (to_status = 'failed' or cause = 'retry') and detail is null`,
  `update run_transitions t set detail = jsonb_build_object('error', jsonb_build_object('code', 'attempt_timeout',
     'message', 'The attempt took longer than 30 s.'))
   where project_id = $1 and to_status = 'timed_out' and detail is null`,
  `update runs r set error = t.detail -> 'error'
   from run_history t where r.project_id = $1 and t.project_id = $1 and t.run_id = r.id and t.to_status = r.status
     and r.error is null and t.detail ? 'error'`,
];

export async function rollUp(world: World): Promise<void> {
  await world.runUntilIdle();
}

type Job = Dispatched["job"] & { slug: string };

async function jobsOf({ api }: TestProject): Promise<Job[]> {
  const { body } = await api.get("/v1/jobs?limit=100");
  const known = body.data.filter(({ name }: { name: string }) => NAMES.includes(name));
  if (known.length > 0) return known;
  const made = await Promise.all(
    NAMES.map((name) => api.post("/v1/jobs", { name, endpoint_url: "https://example.com/jobs" })),
  );
  return made.map((response) => response.body);
}

/** The first three hundred within a day, the others over the month. */
function demoRun(nth: number, jobs: Job[]): Dispatched {
  const isToday = nth < 300;
  const ago = isToday ? ((nth * 7919) % 1_437) * 60_000 : HOUR_MS + ((nth * 104_729) % (13 * 24)) * HOUR_MS;
  const job = jobs[(nth * nth + nth) % jobs.length] as Job;
  const isBad = (nth % 15 === 0 && job === jobs[0]) || nth % 83 === 0;
  const ms = 200 + ((nth * 977) % 5_000) + (job === jobs[3] ? 9_000 : 0) + (nth % 97 === 0 ? 21_000 : 0);
  const model = MODELS[nth % MODELS.length] ?? "";
  return {
    ...{ job, at: new Date(Date.now() - ago - 60_000).toISOString() },
    dispatches: [
      ...(nth % 6 === 0 ? [{ ms: 400, to: "pending", cause: "retry" }] : []),
      {
        ms,
        to: isBad ? "failed" : nth % 211 === 0 ? "timed_out" : nth % 131 === 0 ? "canceled" : "completed",
        // Three hundred on the last day, thirty on each earlier day, so that their costs match.
        cost: isToday ? 1_200 + ((nth * 7_717) % 9_000) : 9_000 + ((nth * 7_717) % 90_000),
        provider: "acme",
        model,
      },
    ],
    tags: nth % 3 === 0 ? { team: "payments" } : { team: "growth" },
    created_by: ["api-key:checkout", "schedule", "api-key:back-office"][nth % 3] ?? "",
    trigger_type: ["api", "cron", "event", "api"][nth % 4] ?? "api",
    ...(nth % 4 === 0 && { concurrency_key: `tenant_${nth % 9}` }),
  };
}

/** One delivered, one rejected, one failed after five attempts, one pending. Returns the failed one. */
async function seedWebhooks(world: World, project: TestProject): Promise<string> {
  const good = await jobEndpoint();
  const rejecting = (await jobEndpoint()).respondWith({ status: 410, body: { error: "this hook was removed" } });
  const down = (await jobEndpoint()).respondWith({ status: 503, body: { error: "maintenance" } });
  for (const [url, event] of [
    [good.url, "run.failed"],
    [rejecting.url, "run.completed"],
    [down.url, "budget.*"],
  ])
    await project.api.post("/v1/webhook-subscriptions", {
      url: `${url?.replace(/\/$/, "")}/hooks/orders`,
      events: [event],
    });
  const publish = (type: string, data: object) =>
    inTransaction(world.ctx, (tx) =>
      notifySubscribers(tx, [
        {
          project_id: project.id,
          environment_id: null,
          type,
          data,
          source_type: "run",
          source_id: "0199d0c2-7a00-7000-8000-000000000001",
        },
      ]),
    );
  // Five attempts take a quarter of an hour.
  await world.clock.set(new Date(Date.now() - 20 * 60_000).toISOString());
  for (let nth = 0; nth < 6; nth++) await publish("run.failed", { id: nth, status: "failed" });
  await publish("run.completed", { id: 1, status: "completed", result: { sent: 3 } });
  await publish("budget.exceeded", { threshold_percent: 100, settled_microusd: 1_200_000 });
  await send(world);
  for (const wait of ["6s", "26s", "126s", "626s"]) {
    await world.clock.pass(wait);
    await send(world);
  }
  await world.clock.set(new Date().toISOString());
  await publish("budget.warning", { threshold_percent: 80 });
  await send(world);
  const { body } = await project.api.get("/v1/webhook-deliveries?status=failed&event_type=budget.exceeded");
  return body.data[0]?.id;
}

async function send(world: World): Promise<void> {
  await world.tick("send-webhooks");
  await senderOf(world.ctx).idle();
  await world.tick("recount-webhooks");
}

async function seedAccess({ api }: TestProject): Promise<void> {
  const team = (
    await api.post("/v1/roles", {
      name: "team lead",
      description: "Runs the team's jobs and its budget.",
      parent_role_id: "operator",
      permissions: ["usage:write"],
    })
  ).body;
  await api.post("/v1/roles", {
    name: "on call",
    description: "The team lead's tasks, at night.",
    parent_role_id: team.id,
    permissions: ["access:read"],
  });
  await api.post("/v1/members/bulk", {
    members: [
      { subject: "ada@example.com", role_id: "admin", name: "Ada Lovelace" },
      { subject: "grace@example.com", role_id: "on call", name: "Grace Hopper" },
      { subject: "joan@example.com", role_id: "viewer", name: "Joan Clarke" },
    ],
  });
  await api.post("/v1/resource-policies", {
    effect: "deny",
    actions: ["jobs:trigger"],
    subject: "role:viewer",
    resource_type: "job",
    resource_id: "*",
    description: "Nobody triggers by mistake.",
  });
  await api.post("/v1/tag-policies", {
    effect: "allow",
    actions: ["runs:write"],
    subject: "member:joan@example.com",
    tag_key: "team",
    tag_value: "growth",
  });
}
