import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FastPathReply, FastPathRequest } from "./fast-path-messages.ts";

/** What the fast path has done with a request before Fastify takes over. */
type PassedToFastify = { reply: FastPathReply } & (
  | { failure: unknown }
  /** Its gate has admitted the request and counted it; its body has been read. */
  | { body: Buffer; admitted: FastPathRequest }
);

const passedRequests = new WeakMap<IncomingMessage, PassedToFastify>();

/** The request keeps its id. */
export function passToFastify({ raw, id }: FastPathRequest, passed: PassedToFastify): void {
  raw.headers["x-request-id"] = id;
  passedRequests.set(raw, passed);
}

/** The error that the fast path met, which is the response. Undefined: none. */
export function failureOf(request: FastifyRequest, reply: FastifyReply): unknown {
  const passed = passedRequests.get(request.raw);
  passed?.reply.copyHeaders(reply);
  return passed && "failure" in passed ? passed.failure : undefined;
}

/** Whether the gate of the fast path has admitted the request, and counted it. */
export function isAdmitted(request: FastifyRequest): boolean {
  const passed = passedRequests.get(request.raw);
  if (!passed || !("admitted" in passed)) return false;
  request.authenticated = passed.admitted.authenticated;
  return true;
}

/** The body as a stream, if it has been read already. */
export function bodyOf<P>(request: FastifyRequest, payload: P): P | Readable {
  const passed = passedRequests.get(request.raw);
  return passed && "body" in passed ? Readable.from([passed.body]) : payload;
}
