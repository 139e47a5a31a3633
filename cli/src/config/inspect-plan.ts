import type { ChangedWorkflowPolicy } from "@millrace/contract/workflows/workflow-policies";
import type { ActiveVersion, WorkflowPlan } from "@millrace/contract/workflows/workflow-versions";
import { type Client, type Page, PermissionError } from "@millrace/sdk";
import { plural } from "../output/plural.ts";
import { type Issue, isAboutNew, newIssues } from "../workflows/new-issues.ts";
import { addCosts } from "./add-costs.ts";
import { createBody } from "./apply-plan.ts";
import { idOf } from "./items.ts";
import type { Change, Plan } from "./make-plan.ts";
import { singlePath } from "./read-remote.ts";

const MAX_COUNTED = 100;
/** Each takes a request or two; a plan with more changes is read by programs. */
const MAX_INSPECTED = 100;
const NOT_ENDED = "pending,running,waiting,paused";

/** Adds what only the service knows: runs in flight, steps that are not valid, violations of the policy, and costs. */
export async function inspectPlan(client: Client, plan: Plan, projectId: string): Promise<void> {
  const created = new Set(plan.changes.filter(({ action }) => action === "create").map(({ item }) => idOf(item)));
  // What violates the policy of now may not violate the next one.
  const isSure = !plan.changes.some(({ item }) => item.kind.kind === "workflow_policy");
  const known = plan.changes.filter(({ action, item }) => action !== "create" || item.kind.kind === "workflow");
  const inspected = known.slice(0, MAX_INSPECTED);
  for (const change of inspected) {
    const { kind } = change.item.kind;
    if (kind === "workflow") {
      const issues = (await inspectWorkflow(client, change)).filter((one) => !isAboutNew(one, change.sent, created));
      const said = issues.map(({ location, message }) => `${location} ${message}`);
      if (isSure) plan.problems.push(...said.map((each) => `${idOf(change.item)}: ${each}`));
      else change.notes.push(...said.map((each) => `before the policy changes: ${each}`));
    }
    if (kind === "job") await inspectJob(client, change);
    if (kind !== "workflow_policy") continue;
    await inspectPolicy(client, change, projectId);
    if (inspected.some(({ item }) => item.kind.kind === "workflow"))
      change.notes.push("the workflows of this plan are checked against the policy of now");
  }
  for (const { notes } of known.slice(MAX_INSPECTED)) notes.push("not checked, as the plan is too large");
  await addCosts(
    client,
    inspected.filter(({ action }) => action !== "create"),
  );
}

async function inspectWorkflow(client: Client, change: Change): Promise<Issue[]> {
  if (change.action === "create") return inspectNew(client, change);
  const { remote, action, fields, notes, sent } = change;
  const path = `/v1/workflows/${remote?.id}`;
  const versions = await client.request<Page<ActiveVersion>>("GET", `${path}/active-versions`);
  const running = versions.data.reduce((sum, { active_runs }) => sum + active_runs, 0);
  const steps = fields.filter(({ field }) => field.startsWith("steps"));
  if (running > 0)
    notes.push(
      action === "delete"
        ? `${plural(running, "run")} in flight would be left`
        : `${plural(running, "run")} in flight ${running === 1 ? "stays on its" : "stay on their"} version`,
    );
  const removed = steps.filter(({ new: now }) => now === null).map(({ field }) => field.slice("steps.".length));
  if (removed.length > 0 && running > 0)
    notes.push(`breaking: removes ${removed.join(", ")} while runs are in flight; consider --breaking`);
  if (steps.length === 0 || action === "delete") return [];
  const body = { steps: sent.steps };
  const planned = await client.request<WorkflowPlan>("POST", `${path}/plan`, { body, safe: true });
  return [
    ...planned.issues,
    ...planned.policy_violations.map((one) => ({ ...one, message: `violates the policy: ${one.message}` })),
  ];
}

async function inspectNew(client: Client, { item, sent, notes }: Change): Promise<Issue[]> {
  try {
    return await newIssues(client, createBody(item.kind, item.key, sent, sent));
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error;
    notes.push("not checked: that needs a key with workflows:write");
    return [];
  }
}

async function inspectJob(client: Client, { remote, action, notes }: Change): Promise<void> {
  const query = { job_id: remote?.id, status: NOT_ENDED, limit: MAX_COUNTED };
  const { data, has_more } = await client.request<Page<unknown>>("GET", "/v1/runs", { query });
  if (data.length === 0) return;
  const count = `${data.length}${has_more ? "+" : ""} ${data.length === 1 ? "run" : "runs"} in flight`;
  notes.push(action === "delete" ? `${count} on the deleted job` : `${count} keep the version they started with`);
}

async function inspectPolicy(client: Client, { item, sent, notes }: Change, projectId: string): Promise<void> {
  const path = singlePath(item.kind, projectId);
  const { preview } = await client.request<ChangedWorkflowPolicy>("PUT", path, {
    query: { dry_run: true },
    body: sent,
    safe: true,
  });
  if (preview && preview.violating_count > 0) {
    const names = preview.violating.slice(0, 5).map(({ slug }) => slug);
    notes.push(`${plural(preview.violating_count, "workflow")} would violate it: ${names.join(", ")}`);
  }
}
