import { setTimeout } from "node:timers/promises";
import { listApprovals } from "../features/approvals/routes.ts";
import { deleteProject } from "../features/projects/delete-project.ts";
import { getProject } from "../features/projects/queries.ts";
import { getWorkflowRun } from "../features/workflow-runs/queries.ts";
import { decideStep } from "../features/workflow-runs/steps/step-routes.ts";
import { triggerWorkflow } from "../features/workflows/trigger/trigger-workflow.ts";
import { appendLogs } from "../flow/runs/settle/append-logs.ts";
import { readRunToken } from "../platform/access/credentials/run-token.ts";
import type { Ctx, RequestOrigin, RunCtx } from "../platform/context.ts";
import { ApiError, invalid, notFound } from "../platform/errors/errors.ts";
import { operatorRoute, publicRoute, type Route, type SignedRequest } from "../platform/route.ts";
import { demoCtx, NO_REPLY } from "./demo-ctx.ts";
import { DEMO_RECEIVERS } from "./demo-webhooks.ts";
import { DEMO_WORK, type DemoCtx, type DemoDispatch, DemoFailure } from "./demo-work.ts";
import { APPROVAL_STEP, DEMO_WORKFLOW, LARGE_ORDER } from "./demo-workflow.ts";

const JSON_TEXT = "application/json; charset=utf-8";

/** Only `millrace dev` has these routes: the endpoint of the demo's jobs, and the actions of a new user on the demo. */
export function demoRoutes(pause: DemoCtx["pause"] = setTimeout): Route[] {
  return [
    publicRoute("POST /demo/jobs/{job}", {
      summary: "The endpoint of the demo's jobs, for this service's own dispatches",
      produces: JSON_TEXT,
      signed: true,
      run: async (ctx, { params, signed }, reply) => {
        const run = runOf(ctx, signed);
        const work = DEMO_WORK[params.job];
        if (!work) throw notFound("job of the demo");
        try {
          return JSON.stringify(await work({ ...run, pause }, JSON.parse(String(signed?.body)) as DemoDispatch));
        } catch (error) {
          if (!(error instanceof DemoFailure)) throw error;
          await appendLogs(run, { level: "error", message: error.message });
          reply.status(422);
          return JSON.stringify({ error: error.message });
        }
      },
    }),
    publicRoute("POST /demo/webhooks/{receiver}", {
      summary: "The receivers of the demo's webhooks, which only respond",
      produces: JSON_TEXT,
      signed: true,
      run: async (ctx, { params, signed }, reply) => {
        const receive = DEMO_RECEIVERS[params.receiver];
        if (!receive) throw notFound("receiver of the demo");
        const { status, says } = receive(ctx.watch.nowMs() - createdAt(signed));
        reply.status(status);
        return JSON.stringify({ says });
      },
    }),
    operatorRoute("GET /demo", {
      summary: "The demo project, and the wait that you can end",
      produces: JSON_TEXT,
      run: async (ctx) => JSON.stringify(await printDemo(ctx)),
    }),
    operatorRoute("POST /demo/resume", {
      summary: "Approve the large order of the demo; start another one when it has completed",
      produces: JSON_TEXT,
      run: async (ctx) => JSON.stringify(await resumeDemo(ctx)),
    }),
    operatorRoute("DELETE /demo", {
      summary: "Remove the demo project and everything in it",
      run: (ctx) => removeDemo(ctx),
    }),
  ];
}

/** When an event was created, in milliseconds since the epoch. */
function createdAt(signed: SignedRequest | undefined): number {
  const at = Date.parse(JSON.parse(String(signed?.body) || "null")?.created_at);
  if (Number.isNaN(at)) throw invalid("body.created_at", "must be the time of an event", null);
  return at;
}

/** The run token proves that this service made the call, for this attempt. */
function runOf(ctx: Ctx & { origin: RequestOrigin }, signed: SignedRequest | undefined): RunCtx {
  const token = signed?.headers["x-svc-run-token"];
  if (typeof token !== "string")
    throw new ApiError("unauthorized", "Only dispatches of this service are accepted here.");
  return { ...ctx, ...readRunToken(ctx, token) };
}

/** The same as deleting the project by its id, for a new user without a credential at hand. */
async function removeDemo(ctx: Ctx): Promise<undefined> {
  const demo = demoCtx(ctx);
  return deleteProject(demo, demo.project_id);
}

type Resumed = { resumed_workflow_run_id: string | null; started_workflow_run_id: string | null };

/** Approves the waiting order. Without one, a new large order is started, to be approved in a moment. */
async function resumeDemo(ctx: Ctx): Promise<Resumed> {
  const demo = demoCtx(ctx);
  const { waiting } = await printDemo(ctx);
  if (waiting) {
    const step = { id: waiting.workflow_run_id, ref: APPROVAL_STEP };
    await decideStep(demo, step, "approve", { comment: "Approved in the demo" });
    return { resumed_workflow_run_id: waiting.workflow_run_id, started_workflow_run_id: null };
  }
  const { id } = await triggerWorkflow(demo, DEMO_WORKFLOW.slug, { payload: LARGE_ORDER }, NO_REPLY);
  return { resumed_workflow_run_id: null, started_workflow_run_id: id };
}

type Demo = {
  project: { id: string; slug: string; name: string };
  /** The order that has waited longest for approval. */
  waiting: { order: string; workflow_run_id: string; since: string } | null;
};

async function printDemo(ctx: Ctx): Promise<Demo> {
  const demo = demoCtx(ctx);
  const { id, slug, name } = await getProject(demo, demo.project_id);
  const { data } = await listApprovals(demo, { order: "asc", limit: 100 });
  const approval = data.find(({ step_ref }) => step_ref === APPROVAL_STEP);
  if (!approval) return { project: { id, slug, name }, waiting: null };
  const { workflow_run_id, requested_at } = approval;
  const { order = "" } = (await getWorkflowRun(demo, workflow_run_id)).payload as { order?: string };
  return { project: { id, slug, name }, waiting: { order, workflow_run_id, since: requested_at } };
}
