import { CreateSession, Session } from "@millrace/contract/session";
import { endSession } from "../../platform/access/credentials/session-store.ts";
import type { CallerCtx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { callerRoute, publicRoute, type Route, type RouteReply } from "../../platform/route.ts";
import { createSession } from "./create-session.ts";
import { noSessionCookie } from "./session-cookie.ts";

export const sessionRoutes: Route[] = [
  publicRoute({
    method: "POST",
    path: "/v1/session",
    summary: "Sign in to the dashboard",
    limit: "sign_in",
    body: CreateSession,
    response: Session,
    status: 201,
    errors: ["unauthorized"],
    run: (ctx, { body }, reply) => createSession(ctx, body, reply),
  }),
  callerRoute({
    method: "GET",
    path: "/v1/session",
    summary: "Get the session of this request",
    response: Session,
    errors: ["not_found"],
    run: (ctx) => getSession(ctx),
  }),
  callerRoute({
    method: "DELETE",
    path: "/v1/session",
    summary: "Sign out",
    run: (ctx, _, reply) => deleteSession(ctx, reply),
  }),
];

async function deleteSession(ctx: CallerCtx, reply: RouteReply): Promise<undefined> {
  if (ctx.session) await endSession(ctx, ctx.session.id);
  reply.header("set-cookie", noSessionCookie(ctx));
}

async function getSession({ caller, session }: CallerCtx): Promise<Session> {
  if (session === null) throw new ApiError("not_found", "This request has no session.");
  const key = caller.kind === "api_key" ? caller : undefined;
  return {
    kind: caller.kind,
    project_id: key?.project_id ?? null,
    key_id: key?.key_id ?? null,
    expires_at: session.expires_at,
  };
}
