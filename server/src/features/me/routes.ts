import { Me } from "@millrace/contract/me";
import { expandScopes } from "@millrace/contract/scopes";
import type { CallerCtx } from "../../platform/context.ts";
import { callerRoute, type Route } from "../../platform/route.ts";

export const meRoutes: Route[] = [
  callerRoute("GET /v1/me", {
    summary: "Get the caller and its permissions",
    response: Me,
    run: (ctx) => getMe(ctx),
  }),
];

async function getMe({ caller, session }: CallerCtx): Promise<Me> {
  const key = caller.kind === "api_key" ? caller : undefined;
  return {
    kind: caller.kind,
    project_id: key?.project_id ?? null,
    environment_id: key?.environment_id ?? null,
    org_id: key?.org_id ?? null,
    key_id: key?.key_id ?? null,
    subject: caller.kind === "member" ? caller.subject : null,
    name: caller.name,
    scopes: caller.scopes && [...caller.scopes],
    permissions: expandScopes(caller.scopes),
    session_expires_at: session?.expires_at ?? null,
  };
}
