import { newId } from "../../src/platform/ids.ts";
import type { Route } from "../../src/platform/route.ts";
import { seedMember, seedPolicy, seedRole } from "../seed/seed-access.ts";
import { seedAlert, seedAlertChannel, seedAlertRule, seedErrorIssue } from "../seed/seed-alert.ts";
import { seedBatch } from "../seed/seed-batch.ts";
import { seedCanary } from "../seed/seed-canary.ts";
import { seedCapsule } from "../seed/seed-capsule.ts";
import { seedDelivery } from "../seed/seed-delivery.ts";
import { seedDrain } from "../seed/seed-drain.ts";
import { oneEventSource } from "../seed/seed-event-source.ts";
import { seedOutboxSource } from "../seed/seed-outbox-source.ts";
import { seedQueue } from "../seed/seed-queue.ts";
import { runFor, seedRun } from "../seed/seed-run.ts";
import { seedSavedView } from "../seed/seed-saved-view.ts";
import { seedSchedule } from "../seed/seed-schedule.ts";
import { seedSubscription } from "../seed/seed-subscription.ts";
import { seedTrigger } from "../seed/seed-trigger.ts";
import { SEEDED_STEP, seedWorkflow, seedWorkflowRunFor } from "../seed/seed-workflow-run.ts";
import type { Client } from "../world/client.ts";
import { runSql, type TestConnection } from "../world/database.ts";

export function paramsOf(route: Route): string[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}

/** Real ids of objects in this project for the route's path. Throws for a path that it cannot fill. */
export async function idsIn(
  connection: TestConnection,
  project: { id: string; newKey: () => Promise<{ api: Client }> },
  route: Route,
): Promise<Record<string, string>> {
  const found_by = route.auth.kind === "project" ? route.auth.found_by : undefined;
  const eventSource = oneEventSource(connection, project.id);
  const ids = await Promise.all(
    paramsOf(route).map(async (param) => {
      if (param === "projectID") return [param, project.id];
      if (route.auth.kind === "run") return [param, await seedRun(connection, project.id, { status: "running" })];
      if (param === "jobID") return [param, (await jobIn(project)).id];
      if (param === "workflowID" && route.path.includes("/canary")) return [param, await canaryIn(connection, project)];
      if (param === "workflowID") return [param, (await workflowIn(project)).id];
      if (param === "versionID") {
        const isOfWorkflow = route.path.startsWith("/v1/workflows/");
        return [param, (await (isOfWorkflow ? workflowIn(project) : jobIn(project))).version_id];
      }
      if (param === "fromVersionID" || param === "toVersionID") return [param, (await workflowIn(project)).version_id];
      if (route.path.startsWith("/v1/event-sources/")) return [param, (await eventSource())[param]];
      if (param === "queueName") return [param, await seedQueue(connection, project.id)];
      if (param === "stepRef") return [param, SEEDED_STEP];
      if (param === "eventKey" || param === "prefix") return [param, await eventKeyFor(connection, project, route)];
      if (param === "sessionID") return [param, newId()];
      if (param !== found_by?.param) throw new Error(`${route.path}: add a source for {${param}} here`);
      if (found_by.table === "webhook_deliveries")
        return [param, await seedDelivery(connection, project.id, { status: "failed" })];
      if (found_by.table === "log_drains") return [param, await seedDrain(connection, project.id)];
      if (found_by.table === "outbox_sources") return [param, await seedOutboxSource(connection, project.id)];
      if (found_by.table === "alert_channels") return [param, await seedAlertChannel(project)];
      if (found_by.table === "alert_rules") return [param, await seedAlertRule(connection, project.id)];
      if (found_by.table === "alerts") return [param, await seedAlert(connection, project.id)];
      if (found_by.table === "error_groups") return [param, await seedErrorIssue(connection, project.id)];
      if (found_by.table === "saved_views") return [param, await seedSavedView(connection, project.id)];
      if (found_by.table === "roles") return [param, await seedRole(connection, project.id, route.method)];
      if (found_by.table === "invitations") return [param, await invitationIn(project)];
      if (found_by.table === "members") return [param, await seedMember(connection, project.id)];
      if (found_by.table === "access_policies") return [param, await seedPolicy(connection, project.id, route.path)];
      if (found_by.table === "webhook_subscriptions") return [param, await seedSubscription(connection, project.id)];
      if (found_by.table === "workflow_runs")
        return [param, await seedWorkflowRunFor(connection, project.id, route.path)];
      if (found_by.table === "batch_operations") return [param, await seedBatch(connection, project.id)];
      if (found_by.table === "run_capsules") return [param, await seedCapsule(connection, project.id)];
      if (found_by.table === "schedules") return [param, (await seedSchedule(connection, project.id)).id];
      if (found_by.table === "runs") return [param, await seedRun(connection, project.id, runFor(route.path))];
      const statement = `select id from ${found_by.table} where project_id = $1 order by id limit 1`;
      const [found] = await runSql<{ id: string }>(connection, statement, [project.id]);
      if (!found) throw new Error(`${route.path}: a new project has nothing in ${found_by.table}; create it here`);
      return [param, found.id];
    }),
  );
  return Object.fromEntries(ids);
}

/**
 * Like `idsIn`, for requests that change nothing: routes whose paths name the same kinds of objects share them.
 */
export function sharedIds(connection: TestConnection, project: Parameters<typeof idsIn>[1]) {
  const known = new Map<string, Promise<Record<string, string>>>();
  return (route: Route): Promise<Record<string, string>> => {
    const isOfCanary = route.path.includes("/canary");
    const name = [route.path.split("/")[2], ...paramsOf(route), route.auth.kind, isOfCanary, route.streams].join();
    const ids = known.get(name) ?? idsIn(connection, project, route);
    known.set(name, ids);
    return ids;
  };
}

/**
 * The key of a waiting trigger; for a stream, of one that has ended, since the stream would not close before. As long
 * as an id, so that responses that contain it have the same length.
 */
async function eventKeyFor(connection: TestConnection, { id }: { id: string }, { streams }: Route): Promise<string> {
  const trigger = { event_key: newId(), status: streams ? "received" : "waiting" } as const;
  return (await seedTrigger(connection, id, trigger)).event_key;
}

type MadeJob = { id: string; version_id: string };
const made = new WeakMap<object, Promise<MadeJob>>();
const madeWorkflows = new WeakMap<object, Promise<MadeJob>>();

/** One job per project, with a schedule. */
function jobIn(project: { newKey: () => Promise<{ api: Client }> }): Promise<MadeJob> {
  const job = made.get(project) ?? project.newKey().then(createJob);
  made.set(project, job);
  return job;
}

async function createJob({ api }: { api: Client }): Promise<MadeJob> {
  const response = await api.post("/v1/jobs", { name: "Job", endpoint_url: "https://example.com/", cron: "@daily" });
  if (response.status !== 201) throw new Error(`no job: ${response.text}`);
  return response.body as MadeJob;
}

/** One workflow per project, with a schedule. */
function workflowIn(project: { newKey: () => Promise<{ api: Client }> }): Promise<MadeJob> {
  const workflow = madeWorkflows.get(project) ?? project.newKey().then(createWorkflow);
  madeWorkflows.set(project, workflow);
  return workflow;
}

async function createWorkflow({ api }: { api: Client }): Promise<MadeJob> {
  const steps = [{ step_ref: "rest", type: "sleep", sleep_duration: "1h" }];
  const response = await api.post("/v1/workflows", { name: "Workflow", steps, cron: "@daily" });
  if (response.status !== 201) throw new Error(`no workflow: ${response.text}`);
  return response.body as MadeJob;
}

/** Another workflow, with a canary on its second version. Returns its id. */
async function canaryIn(connection: TestConnection, { id: project_id }: { id: string }): Promise<string> {
  const { id, version_id } = await seedWorkflow(connection, project_id);
  await seedCanary(connection, project_id, { id, version_id });
  return id;
}

async function invitationIn(project: { newKey: () => Promise<{ api: Client }> }): Promise<string> {
  const { api } = await project.newKey();
  return (await api.post("/v1/members/invitations", { email: "ada@example.com", role_id: "viewer" })).body.id;
}
