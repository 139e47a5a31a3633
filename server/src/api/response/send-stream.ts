import type { FastifyReply, FastifyRequest } from "fastify";
import type { Ctx } from "../../platform/context.ts";
import { unavailable } from "../../platform/errors/errors.ts";
import {
  areStreamsClosed,
  openStream,
  type StreamHolder,
  type StreamSource,
} from "../../platform/streams/event-stream.ts";
import { readCredential } from "../gate/credential.ts";
import { meterRequest } from "../gate/meter-requests.ts";
import { isStillAuthorized } from "../gate/still-authorized.ts";

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

function holderOf(ctx: Ctx, request: FastifyRequest): StreamHolder {
  const name = JSON.stringify([readCredential(request.headers), request.memberIn]);
  return { name, isAuthorized: () => isStillAuthorized(ctx, request) };
}
