import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ShortReply } from "./short-messages.ts";

/** What the short way has done with a request before the usual way takes over. */
type PassedOn = { reply: ShortReply } & (
  | { failure: unknown }
  /** Its gate has admitted the request and counted it; its body has been read. */
  | { body: Buffer; admitted: FastifyRequest }
);

const all = new WeakMap<IncomingMessage, PassedOn>();

/** The request keeps its id. */
export function passOn({ raw, id }: FastifyRequest, note: PassedOn): void {
  raw.headers["x-request-id"] = id;
  all.set(raw, note);
}

/** The error that the short way met, which is the response. Undefined: none. */
export function failureOf(request: FastifyRequest, reply: FastifyReply): unknown {
  const note = all.get(request.raw);
  note?.reply.copyHeaders(reply);
  return note && "failure" in note ? note.failure : undefined;
}

/** Whether the gate of the short way has admitted the request, and counted it. */
export function isAdmitted(request: FastifyRequest): boolean {
  const note = all.get(request.raw);
  if (!note || !("admitted" in note)) return false;
  request.authenticated = note.admitted.authenticated;
  return true;
}

/** The body as a stream, if it has been read already. */
export function bodyOf<P>(request: FastifyRequest, payload: P): P | Readable {
  const note = all.get(request.raw);
  return note && "body" in note ? Readable.from([note.body]) : payload;
}
