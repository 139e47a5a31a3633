import type { FastifyReply, FastifyRequest } from "fastify";
import type { Ctx } from "../platform/context.ts";
import { Refusal, unavailable } from "../platform/errors.ts";
import {
  areStreamsClosed,
  openStream,
  type StreamHolder,
  type StreamSource,
} from "../platform/streams/event-stream.ts";
import { authenticate } from "./authenticate.ts";
import { readCredential } from "./credential.ts";
import { meterRequest } from "./meter-requests.ts";

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-store",
  "x-accel-buffering": "no", // a proxy that collects an answer before it passes it on would pass nothing on
  connection: "close", // no connection is left over when streams end at a stop
};

/** Answers with a stream. From here on the response is the stream's own. */
export function answerStream(ctx: Ctx, request: FastifyRequest, reply: FastifyReply, source: StreamSource) {
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

/** Streams outlive their keys' expiry and revocation unless somebody asks. */
function holderOf(ctx: Ctx, { headers }: FastifyRequest): StreamHolder {
  const credential = readCredential(headers);
  return {
    name: JSON.stringify(credential),
    isWelcome: () =>
      authenticate(ctx, credential).then(
        () => true,
        (error) => !(error instanceof Refusal),
      ),
  };
}
