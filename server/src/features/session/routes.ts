import { CreateSession, Session } from "@millrace/contract/session";
import { callerRoute, publicRoute, type Route } from "../../platform/route.ts";
import { createSession } from "./create-session.ts";
import { deleteSession } from "./delete-session.ts";
import { getSession } from "./get-session.ts";

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
