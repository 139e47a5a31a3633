import { setTimeout } from "node:timers/promises";
import { appendLogs } from "../features/sdk-runs/append-logs.ts";
import { readRunToken } from "../platform/access/credentials/run-token.ts";
import type { Ctx, RequestOrigin, RunCtx } from "../platform/context.ts";
import { ApiError, invalid, notFound } from "../platform/errors/errors.ts";
import { operatorRoute, publicRoute, type Route, type SignedRequest } from "../platform/route.ts";
import { DEMO_RECEIVERS } from "./demo-webhooks.ts";
import { DEMO_WORK, type DemoCtx, type DemoDispatch, DemoFailure } from "./demo-work.ts";
import { printDemo } from "./print-demo.ts";
import { removeDemo } from "./remove-demo.ts";
import { resumeDemo } from "./resume-demo.ts";

const JSON_TEXT = "application/json; charset=utf-8";

/** Only `millrace dev` has these routes: the endpoint of the demo's jobs, and the actions of a new user on the demo. */
export function demoRoutes(pause: DemoCtx["pause"] = setTimeout): Route[] {
  return [
    publicRoute({
      method: "POST",
      path: "/demo/jobs/{job}",
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
    publicRoute({
      method: "POST",
      path: "/demo/webhooks/{receiver}",
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
    operatorRoute({
      method: "GET",
      path: "/demo",
      summary: "The demo project, and the wait that you can end",
      produces: JSON_TEXT,
      run: async (ctx) => JSON.stringify(await printDemo(ctx)),
    }),
    operatorRoute({
      method: "POST",
      path: "/demo/resume",
      summary: "Approve the large order of the demo; start another one when it has completed",
      produces: JSON_TEXT,
      run: async (ctx) => JSON.stringify(await resumeDemo(ctx)),
    }),
    operatorRoute({
      method: "DELETE",
      path: "/demo",
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
