import { endSession } from "../../platform/access/credentials/session-store.ts";
import type { CallerCtx } from "../../platform/context.ts";
import type { RouteReply } from "../../platform/route.ts";
import { noSessionCookie } from "./session-cookie.ts";

export async function deleteSession(ctx: CallerCtx, reply: RouteReply): Promise<undefined> {
  if (ctx.session) await endSession(ctx, ctx.session.id);
  reply.header("set-cookie", noSessionCookie(ctx));
}
