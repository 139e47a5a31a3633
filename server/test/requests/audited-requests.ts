import type { Route } from "../../src/platform/route.ts";
import { applicationDatabase } from "../outside/application-database.ts";
import { makeJob, makeWorkflow, REST } from "../seed/make-workflow.ts";
import { seedErrorIssue } from "../seed/seed-alert.ts";
import { capsuleContent, capsuleOf } from "../seed/seed-capsule.ts";
import { seedRun } from "../seed/seed-run.ts";
import { seedSchedule } from "../seed/seed-schedule.ts";
import { seedWorkflowRunFor } from "../seed/seed-workflow-run.ts";
import { signedIn } from "../seed/signed-in.ts";
import { INTERNAL_SECRET, type TestProject, type World } from "../world/world.ts";
import { idsIn } from "./path-ids.ts";
import { sampleBody } from "./sample-body.ts";

/**
 * Routes that change nothing in a project, or only its data plane. Every other route writes an audit event.
 */
export const NOT_AUDITED: Record<string, string> = {
  "POST /mcp": "its tools send requests of their own, which are audited",
  "POST /worker/v1/claims": "data plane: the runs record what happened to them",
  "POST /worker/v1/heartbeats": "like claims",
  "POST /worker/v1/results": "like claims",
  "POST /worker/v1/drain": "like claims",
  "POST /scim/v2/{provider}/{resource}": "of an identity provider, in no project: memberships that end are audited",
  "PUT /scim/v2/{provider}/{resource}/{scimID}": "like the creation",
  "PATCH /scim/v2/{provider}/{resource}/{scimID}": "like the creation",
  "DELETE /scim/v2/{provider}/{resource}/{scimID}": "like the creation",
  "POST /v1/session": "signing in changes nothing in a project; later changes are audited under the session's key",
  "DELETE /v1/session": "like signing in",
  "POST /v1/members/invitations/accept": "sent without a credential: its own test checks the event",
  "POST /v1/members/leave": "only people can leave: its own test checks the event",
  "POST /v1/members/transfer": "only people can: its own test checks the events",
  "POST /v1/api-keys/personal": "only people can: its own test checks the event",
  "DELETE /v1/api-keys/personal/{keyID}": "only people can: its own test checks the event",
  "DELETE /v1/account/sessions/{sessionID}": "only people can: its own test checks the event",
  "POST /v1/account/password": "of a person, recorded in each of their projects: its own test checks the event",
  "POST /v1/account/reset-link": "recorded in each project of the person: its own test checks the event",
  "POST /v1/account/reset": "sent without a credential: its own test checks the event",
  "POST /v1/account/totp": "returns a secret, changes nothing",
  "POST /v1/account/totp/enable": "like a change of the password",
  "POST /v1/account/totp/disable": "like a change of the password",
  "POST /v1/jobs/{jobID}/trigger": "data plane: the run records who started it",
  "POST /v1/jobs/{jobID}/trigger/bulk": "data plane: each run records who started it",
  "POST /v1/workflows/{workflowID}/trigger": "data plane: the workflow run records who started it",
  "POST /v1/schedules/{scheduleID}/run-now": "data plane: the run records who started it",
  "POST /v1/events/dispatch": "data plane: the event records who sent it",
  "POST /v1/events/callback/{token}": "data plane: the event records its origin",
  "POST /v1/events/prefix/{prefix}/send": "data plane: each trigger records who sent its event",
  "POST /v1/events/{eventKey}/send": "data plane: the trigger records who sent its event",
  "POST /v1/event-sources/{sourceID}/inbound": "data plane: a signed event from outside",
  "POST /v1/event-sources/{sourceID}/test": "reads only, changes nothing",
  "POST /v1/workflows/{workflowID}/plan": "reads only, changes nothing",
  "POST /v1/workflows/{workflowID}/simulate": "reads only, changes nothing",
  "POST /v1/workflows/{workflowID}/shadow": "reads only, changes nothing",
  "POST /v1/access/check": "reads only, changes nothing",
  "POST /v1/webhook-subscriptions/{webhookSubscriptionID}/test": "sends a sample; the delivery is its record",
  "POST /v1/alert-channels/{alertChannelID}/test": "sends a sample; the delivery is its record",
  "POST /v1/alert-rules/preview": "reads only, changes nothing",
  "POST /v1/alert-rules/{alertRuleID}/test": "sends a sample; the deliveries are its record",
  "POST /v1/log-drains/{drainID}/test": "sends a sample; changes nothing",
};

export const actorIn = ({ key_id }: TestProject) => ({
  actor_kind: "api_key",
  actor_id: key_id,
  actor_name: "test key",
});

type RequestParts = { params?: Record<string, string>; query?: string; body?: object };
type Recipe = (world: World, project: TestProject) => Promise<RequestParts> | RequestParts;

/** A request that makes the route do its work, in a separate project. */
export async function auditedRequest(world: World, route: Route) {
  const project = await world.project();
  const recipe = RECIPES[`${route.method} ${route.path}`];
  const { params, query = "", body } = (await recipe?.(world, project)) ?? {};
  const ids = { ...(await idsIn(world.connection, project, route)), ...params };
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ""));
  const sample = route.body && { ...(sampleBody(route.body) as object), ...body };
  const own =
    route.auth.kind === "internal"
      ? { "x-internal-secret": INTERNAL_SECRET }
      : { authorization: `Bearer ${project.key}` };
  return { project, method: route.method, path: `${path}${query}`, headers: own, body: sample };
}

const renamed: Recipe = () => ({ body: { description: "Changed" } });

async function pausedRun(world: World, { id, api }: TestProject): Promise<RequestParts> {
  const runID = await seedRun(world.connection, id);
  await api.post(`/v1/runs/${runID}/pause`);
  return { params: { runID } };
}

async function pausedWorkflowRun(world: World, { id, api }: TestProject): Promise<RequestParts> {
  const workflowRunID = await seedWorkflowRunFor(world.connection, id, "");
  await api.post(`/v1/workflow-runs/${workflowRunID}/pause`);
  return { params: { workflowRunID } };
}

async function pausedSchedule(world: World, { id, api }: TestProject): Promise<RequestParts> {
  const { id: scheduleID } = await seedSchedule(world.connection, id);
  await api.post(`/v1/schedules/${scheduleID}/pause`);
  return { params: { scheduleID } };
}

async function connectedSource(_: World, { api }: TestProject): Promise<RequestParts> {
  const { url } = await applicationDatabase();
  const { body } = await api.post("/v1/outbox-sources", { name: "Shop", database_url: url, enabled: false });
  return { params: { outboxSourceID: body.id } };
}

async function pausedJob(_: World, project: TestProject): Promise<RequestParts> {
  const { id: jobID } = await makeJob(project);
  await project.api.post(`/v1/jobs/${jobID}/pause`);
  return { params: { jobID } };
}

/** Has two versions; the first is current. */
async function olderVersion(_: World, project: TestProject) {
  const workflow = await makeWorkflow(project);
  const steps = [{ ...REST, sleep_duration: "2h" }];
  await project.api.patch(workflow.path, { steps });
  const versions = (await project.api.get(`${workflow.path}/versions`)).body.data as { id: string; version: number }[];
  const first = versions.find(({ version }) => version === 1);
  return { workflowID: workflow.id as string, versionID: first?.id ?? "" };
}

async function signedSource(_: World, { api }: TestProject): Promise<RequestParts> {
  const { body } = await api.post("/v1/event-sources", { name: "Signed", signature: "hmac" });
  return { params: { sourceID: body.id } };
}

/** What a route needs to have an effect, beyond its ids and a minimal body. */
const RECIPES: Record<string, Recipe> = {
  "PATCH /v1/projects/{projectID}": () => ({ body: { name: "Renamed" } }),
  "PATCH /v1/api-keys/{keyID}": () => ({ body: { rate_limits: { requests_per_minute: 5_000 } } }),
  "PATCH /v1/environments/{envID}": () => ({ body: { name: "Renamed" } }),
  "DELETE /v1/environments/{envID}": async (_, { api }) => {
    const { body } = await api.post("/v1/environments", { name: "Short" });
    return { params: { envID: body.id } };
  },
  "PATCH /v1/jobs/{jobID}": () => ({ body: { name: "Renamed" } }),
  "PUT /v1/jobs/{jobID}/dependencies": async (_, project) => ({
    body: { dependencies: [{ job_id: (await makeJob(project)).id }] },
  }),
  "POST /v1/jobs/{jobID}/resume": pausedJob,
  "PATCH /v1/queues/{queueName}": () => ({ body: { weight: 7 } }),
  "POST /v1/queues/{queueName}/resume": async (_, { api }) => {
    await api.post("/v1/queues", { name: "rested", paused: true });
    return { params: { queueName: "rested" } };
  },
  "PATCH /v1/runs/{runID}": () => ({ body: { priority: 5 } }),
  "POST /v1/runs/{runID}/resume": pausedRun,
  "POST /v1/event-sources/{sourceID}/secret/rotate": signedSource,
  "PATCH /v1/event-sources/{sourceID}": renamed,
  "POST /v1/event-sources/{sourceID}/subscriptions": async (_, project) => ({
    body: { job_id: (await makeJob(project)).id },
  }),
  "PATCH /v1/event-sources/{sourceID}/subscriptions/{subscriptionID}": () => ({ body: { enabled: false } }),
  "POST /v1/schedules": async (_, project) => ({ body: { cron: "@daily", job_id: (await makeJob(project)).id } }),
  "PATCH /v1/schedules/{scheduleID}": () => ({ body: { cron: "@hourly" } }),
  "POST /v1/schedules/{scheduleID}/resume": pausedSchedule,
  "POST /v1/schedules/{scheduleID}/backfill": () => {
    const to = Date.now() - 3_600_000;
    return { body: { from: new Date(to - 172_800_000).toISOString(), to: new Date(to).toISOString() } };
  },
  "POST /v1/workflows": () => ({ body: { steps: [REST] } }),
  "PATCH /v1/workflows/{workflowID}": renamed,
  "PUT /v1/workflow-policies/{projectID}": () => ({ body: { max_steps: 42 } }),
  "POST /v1/workflows/{workflowID}/versions/{versionID}/activate": async (world, project) => ({
    params: await olderVersion(world, project),
  }),
  "POST /v1/workflows/{workflowID}/canary": async (world, project) => ({
    params: await olderVersion(world, project),
    body: { target_version: 1 },
  }),
  "PATCH /v1/workflows/{workflowID}/canary": () => ({ body: { traffic_pct: 42 } }),
  "POST /v1/workflows/{workflowID}/migrate-runs": async (_, project) => {
    const { id, path } = await makeWorkflow(project);
    await project.api.post(`${path}/trigger`, { payload: {} });
    await project.api.patch(path, { steps: [REST, { step_ref: "more", type: "sleep", sleep_duration: "1h" }] });
    return { params: { workflowID: id }, body: { to_version: 2, dry_run: false } };
  },
  "POST /v1/workflow-runs/capsules": () => ({ body: JSON.parse(capsuleOf(capsuleContent())) }),
  "POST /v1/workflow-runs/{workflowRunID}/resume": pausedWorkflowRun,
  "PATCH /v1/webhook-subscriptions/{webhookSubscriptionID}": renamed,
  "PATCH /v1/log-drains/{drainID}": () => ({ body: { name: "Renamed" } }),
  "POST /v1/outbox-sources": async () => ({ body: { database_url: (await applicationDatabase()).url } }),
  "PATCH /v1/outbox-sources/{outboxSourceID}": () => ({ body: { name: "Renamed" } }),
  "POST /v1/outbox-sources/{outboxSourceID}/retry": connectedSource,
  "PATCH /v1/alert-rules/{alertRuleID}": () => ({ body: { name: "Renamed" } }),
  "PATCH /v1/alert-channels/{alertChannelID}": () => ({ body: { name: "Renamed" } }),
  "POST /v1/error-issues/{errorIssueID}/reopen": async (world, { id, api }) => {
    const errorIssueID = await seedErrorIssue(world.connection, id);
    await api.post(`/v1/error-issues/${errorIssueID}/resolve`);
    return { params: { errorIssueID } };
  },
  "PATCH /v1/saved-views/{viewID}": () => ({ body: { name: "Renamed" } }),
  "PATCH /v1/roles/{roleID}": renamed,
  "PATCH /v1/resource-policies/{policyID}": renamed,
  "PATCH /v1/tag-policies/{policyID}": renamed,
  "PUT /v1/project-budget": () => ({ body: { monthly_budget_microusd: 42 } }),
  "PUT /v1/project-config": () => ({ body: { objects: [{ owner: "shop", kind: "job", key: "mail" }] } }),
  "PUT /v1/usage/email-preferences": () => ({ body: { monthly_usage_email: true } }),
  "DELETE /v1/members/{memberID}/sessions/{sessionID}": async (world, project) => {
    const person = await signedIn(world, project);
    await person.get("/v1/jobs"); // only who has used a project can be signed out of it
    const [session] = (await person.get("/v1/account/sessions")).body.sessions;
    return { params: { memberID: person.member_id, sessionID: session.id } };
  },
  "POST /v1/members/invitations": () => ({ body: { email: "ada@example.com", role_id: "viewer" } }),
  "POST /v1/members/bulk": () => ({ body: { members: [{ subject: "ada", role_id: "viewer" }] } }),
};
