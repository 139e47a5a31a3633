import { scopesBeyond } from "@millrace/contract/access/scopes";
import type { FastifyReply, FastifyRequest } from "fastify";
import { findMember } from "../../platform/access/credentials/member-cache.ts";
import type { Caller, Ctx } from "../../platform/context.ts";
import { ApiError, unavailable } from "../../platform/errors/errors.ts";
import {
  areStreamsClosed,
  openStream,
  type StreamHolder,
  type StreamSource,
} from "../../platform/streams/event-stream.ts";
import { authenticate } from "../gate/authenticate.ts";
import { type Credential, readCredential } from "../gate/credential.ts";
import { meterRequest } from "../gate/meter-requests.ts";

type MemberIn = NonNullable<FastifyRequest["memberIn"]>;

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-store",
  "x-accel-buffering": "no", // a buffering proxy would forward nothing
  connection: "close", // no connection remains when streams end at shutdown
};

/** Responds with a stream, which from here on owns the response. */
export function sendStream(ctx: Ctx, request: FastifyRequest, reply: FastifyReply, source: StreamSource) {
  if (areStreamsClosed(ctx)) throw unavailable("The service is stopping.");
  reply.headers(STREAM_HEADERS);
  if (request.method === "HEAD") return reply.send();
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
  reply.raw.flushHeaders();
  meterRequest(ctx, request, reply);
  openStream(ctx, reply.raw, holderOf(ctx, request), source);
  return reply;
}

/** Streams would outlive their key's expiry and revocation, and a membership, unless checked. */
function holderOf(ctx: Ctx, { headers, memberIn }: FastifyRequest): StreamHolder {
  const credential = readCredential(headers);
  return {
    name: JSON.stringify([credential, memberIn]),
    isAuthorized: () => isAuthorized(ctx, credential, memberIn),
  };
}

async function isAuthorized(ctx: Ctx, credential: Credential, memberIn: MemberIn | undefined): Promise<boolean> {
  let caller: Caller;
  try {
    ({ caller } = await authenticate(ctx, credential));
  } catch (error) {
    return !(error instanceof ApiError);
  }
  return caller.kind !== "member" || !memberIn || isStillMember(ctx, caller.subject, memberIn);
}

/** A member whose role changed may reconnect, and sees what the new role allows. */
async function isStillMember(ctx: Ctx, subject: string, { project_id, scopes }: MemberIn): Promise<boolean> {
  const member = await findMember(ctx, project_id, subject);
  return member !== undefined && scopesBeyond(member.scopes, scopes).length === 0;
}
