import type { Job } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import type { ServiceClient } from "./service-client.ts";

export const ACTIONS = ["trigger_job", "trigger_workflow", "cancel_run", "replay_run", "pause_job"] as const;

export type Asked = { action: (typeof ACTIONS)[number]; target: string; payload?: unknown };

/** Everything that will happen. What it depends on is part of it, so that a changed object makes another plan. */
export type ActionPlan = {
  service: string;
  project_id: string;
  action: Asked["action"];
  summary: string;
  target: Record<string, unknown>;
  payload: unknown;
};

export type Planned = { plan: ActionPlan; perform: () => Promise<unknown> };

/** What a person can review in a question. */
const MAX_PAYLOAD = 2_000;

/** A dry run with the caller's own scopes: it fails as the action itself would. */
export async function planAction(client: ServiceClient, asked: Asked): Promise<Planned> {
  const { action, target, payload } = asked;
  if (payload !== undefined && JSON.stringify(payload).length > MAX_PAYLOAD) {
    throw new Error(`The payload has more than ${MAX_PAYLOAD} characters, too many to review. Use the command line.`);
  }
  if (action === "trigger_job" || action === "trigger_workflow") return planTrigger(client, asked);
  if (action === "pause_job") {
    const { id, slug, project_id, paused_at } = await client.request<Job>("GET", `/v1/jobs/${target}`);
    const summary = `Pause the job ${slug}: triggers are accepted, and its runs stay queued.`;
    const plan = planOf(client, { ...asked, payload: null }, { project_id, summary, target: { id, slug, paused_at } });
    return { plan, perform: () => client.request("POST", `/v1/jobs/${id}/pause`) };
  }
  const { id, project_id, status, job_id, attempt } = await client.request<Run>("GET", `/v1/runs/${target}`);
  const isReplay = action === "replay_run";
  const given = isReplay && payload !== undefined ? { payload } : {};
  const summary = isReplay
    ? `Start a new run like the run ${id}, which is ${status}, with ${payload === undefined ? "its" : "this"} payload.`
    : `Cancel the run ${id}, which is ${status}, and the runs it spawned.`;
  const plan = planOf(
    client,
    { ...asked, payload: given.payload ?? null },
    { project_id, summary, target: { id, status, job_id, attempt } },
  );
  return {
    plan,
    perform: () => client.request("POST", `/v1/runs/${id}/${isReplay ? "replay" : "cancel"}`, { body: given }),
  };
}

async function planTrigger(client: ServiceClient, asked: Asked): Promise<Planned> {
  const noun = asked.action === "trigger_job" ? "job" : "workflow";
  const { id, slug, project_id, version_id } = await client.request<Job | Workflow>(
    "GET",
    `/v1/${noun}s/${asked.target}`,
  );
  const path = `/v1/${noun}s/${id}/trigger`;
  const payload = asked.payload ?? {};
  await client.request("POST", path, { body: { payload, dry_run: true } });
  const summary = `Start a run of the ${noun} ${slug} with this payload.`;
  const plan = planOf(client, { ...asked, payload }, { project_id, summary, target: { id, slug, version_id } });
  return { plan, perform: () => client.request("POST", path, { body: { payload } }) };
}

type Found = Pick<ActionPlan, "project_id" | "summary" | "target">;

function planOf(client: ServiceClient, { action, payload }: Asked, found: Found): ActionPlan {
  return { service: client.baseUrl, action, payload, ...found };
}
