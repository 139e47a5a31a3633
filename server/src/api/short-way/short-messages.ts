import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Ctx } from "../../platform/context.ts";
import type { Route } from "../../platform/route.ts";
import { originOf, requestIdOf } from "../request-origin.ts";
import { SECURITY_HEADERS } from "../response/security-headers.ts";

const COMMON_HEADERS = Object.entries(SECURITY_HEADERS).flat();

/** What the gate and a route's handler read of a request. */
export function shortRequest(ctx: Ctx, raw: IncomingMessage, config: { row: Route }, params: object): FastifyRequest {
  const { headers, socket } = raw;
  const request = {
    raw,
    socket,
    headers,
    params,
    method: raw.method,
    url: raw.url,
    id: requestIdOf(raw),
    ip: socket.remoteAddress ?? "",
    host: headers.host,
    protocol: "http",
    query: {},
    body: undefined,
    origin: undefined,
    authenticated: undefined,
    taken: {},
    receipt: undefined,
    isMetered: false,
    validationError: undefined,
    routeOptions: { config },
  } as unknown as FastifyRequest;
  request.origin = originOf(ctx, request);
  return request;
}

/** What they write of its response. */
export class ShortReply {
  statusCode = 200;
  readonly raw: ServerResponse;
  /** Alternating names and values. */
  readonly #headers: string[] = [];
  readonly #startedAt = performance.now();

  constructor(raw: ServerResponse) {
    this.raw = raw;
  }

  code(status: number): void {
    this.statusCode = status;
  }

  header(name: string, value: string): void {
    this.#headers.push(name, value);
  }

  headers(all: Record<string, string>): void {
    for (const name in all) this.header(name, String(all[name]));
  }

  get elapsedTime(): number {
    return performance.now() - this.#startedAt;
  }

  /** For the usual way, if it sends the response after all. */
  copyHeaders(reply: FastifyReply): void {
    for (let at = 0; at < this.#headers.length; at += 2) {
      reply.header(this.#headers[at] ?? "", this.#headers[at + 1]);
    }
  }

  /** During a drain the connection is closed after its request, as by the usual way. */
  send(request_id: string, body: string, isClosing: boolean): void {
    const headers = [...COMMON_HEADERS, "x-request-id", request_id, "content-type", "application/json; charset=utf-8"];
    headers.push("content-length", String(Buffer.byteLength(body)), ...this.#headers);
    if (isClosing) headers.push("connection", "close");
    this.raw.writeHead(this.statusCode, headers);
    this.raw.end(body);
  }
}
