import { listTriggers } from "../features/events/list-triggers.ts";
import { getProject } from "../features/projects/get-project.ts";
import type { Ctx } from "../platform/context.ts";
import { demoCtx } from "./demo-ctx.ts";
import { APPROVAL_KEY } from "./demo-workflow.ts";

export type Demo = {
  project: { id: string; slug: string; name: string };
  /** The wait of the large order; null before it is reached and after it has ended. */
  waiting: { event_key: string; workflow_run_id: string | null; since: string } | null;
};

export async function printDemo(ctx: Ctx): Promise<Demo> {
  const demo = demoCtx(ctx);
  const { id, slug, name } = await getProject(demo, demo.project_id);
  const { data } = await listTriggers(demo, { status: "waiting", event_key_prefix: APPROVAL_KEY });
  const wait = data.find(({ event_key }) => event_key === APPROVAL_KEY);
  const waiting = wait
    ? { event_key: wait.event_key, workflow_run_id: wait.workflow_run_id, since: wait.created_at }
    : null;
  return { project: { id, slug, name }, waiting };
}
