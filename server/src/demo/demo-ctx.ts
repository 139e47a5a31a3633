import type { CallerCtx, Ctx, ProjectCtx } from "../platform/context.ts";
import { notFound } from "../platform/errors/errors.ts";
import { readFirstStart } from "../platform/settings/dev-secrets.ts";

/** The service itself, on behalf of the user who has just started it. */
export function devCtx(ctx: Ctx): CallerCtx {
  return {
    ...ctx,
    caller: { kind: "internal_secret", name: "millrace dev", scopes: null },
    origin: { request_id: "millrace-dev", ip: "127.0.0.1", user_agent: null, base_url: "http://localhost" },
    session: null,
  };
}

/** The same in the demo project, while this installation has one. */
export function demoCtx(ctx: Ctx): ProjectCtx {
  const { demo_project_id } = readFirstStart(ctx.config.data_dir);
  if (demo_project_id === undefined) throw notFound("demo");
  return { ...devCtx(ctx), project_id: demo_project_id };
}

/** The demo uses the bodies of its own requests, not headers and status. */
export const NO_REPLY = { header: () => {}, status: () => {} };
