import type { ChangedWorkflowPolicy } from "@millrace/contract/workflows/workflow-policies";
import type { ActiveVersion, WorkflowPlan } from "@millrace/contract/workflows/workflow-versions";
import type { Client, Page } from "@millrace/sdk";
import { plural } from "../output/plural.ts";
import { addCosts } from "./add-costs.ts";
import { idOf } from "./items.ts";
import { type Change, type Plan, refsOf } from "./make-plan.ts";
import { singlePath } from "./read-remote.ts";

const MAX_COUNTED = 100;
/** Each takes a request or two; a plan with more changes is read by programs. */
const MAX_INSPECTED = 100;
const NOT_ENDED = "pending,running,waiting,paused";

/** Adds what only the service knows: runs in flight, steps that are not valid, violations of the policy, and costs. */
export async function inspectPlan(client: Client, plan: Plan, projectId: string): Promise<void> {
  const created = new Set(plan.changes.filter(({ action }) => action === "create").map(({ item }) => idOf(item)));
  const inspected = plan.changes.filter(({ action }) => action !== "create").slice(0, MAX_INSPECTED);
  for (const change of inspected) {
    const { kind } = change.item.kind;
    if (kind === "workflow") await inspectWorkflow(client, plan, change, created);
    if (kind === "job") await inspectJob(client, change);
    if (kind === "workflow_policy") await inspectPolicy(client, change, projectId);
  }
  await addCosts(client, inspected);
}

async function inspectWorkflow(client: Client, plan: Plan, change: Change, created: Set<string>): Promise<void> {
  const path = `/v1/workflows/${change.remote?.id}`;
  const versions = await client.request<Page<ActiveVersion>>("GET", `${path}/active-versions`);
  const running = versions.data.reduce((sum, { active_runs }) => sum + active_runs, 0);
  const steps = change.fields.filter(({ field }) => field.startsWith("steps"));
  if (running > 0)
    change.notes.push(
      `${plural(running, "run")} in flight ${change.action === "delete" ? "would be left" : "stay on their version"}`,
    );
  const removed = steps.filter(({ new: now }) => now === null).map(({ field }) => field.slice("steps.".length));
  if (removed.length > 0 && running > 0)
    change.notes.push(`breaking: removes ${removed.join(", ")} while runs are in flight; consider --breaking`);
  if (steps.length === 0 || change.action === "delete") return;
  if (refsOf({ kind: change.item.kind, body: change.sent }).some((ref) => created.has(ref))) {
    return void change.notes.push("its steps are checked when they are applied: they refer to new objects");
  }
  const body = { steps: change.sent.steps };
  const { issues, policy_violations } = await client.request<WorkflowPlan>("POST", `${path}/plan`, {
    body,
    safe: true,
  });
  const broken = [
    ...issues,
    ...policy_violations.map((one) => ({ ...one, message: `violates the policy: ${one.message}` })),
  ];
  plan.problems.push(...broken.map(({ location, message }) => `${idOf(change.item)}: ${location} ${message}`));
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
