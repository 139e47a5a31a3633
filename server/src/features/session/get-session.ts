import type { Session } from "@millrace/contract/session";
import type { CallerCtx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";

export async function getSession({ caller, session }: CallerCtx): Promise<Session> {
  if (session === null) throw new ApiError("not_found", "This request has no session.");
  const key = caller.kind === "api_key" ? caller : undefined;
  return {
    kind: caller.kind,
    project_id: key?.project_id ?? null,
    key_id: key?.key_id ?? null,
    expires_at: session.expires_at,
  };
}
