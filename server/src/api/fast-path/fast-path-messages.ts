import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Receipt } from "@millrace/contract/schema/receipts";
import type { FastifyReply } from "fastify";
import type { Ctx, RequestOrigin, RunClaims } from "../../platform/context.ts";
import type { Authenticated } from "../gate/authenticate.ts";
import type { ApiReply, ApiRequest } from "../http-messages.ts";
import type { RouteWithView } from "../registered-route.ts";
import { originOf, requestIdOf } from "../request-origin.ts";
import { SECURITY_HEADERS } from "../response/security-headers.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const COMMON_HEADERS = Object.entries(SECURITY_HEADERS).flat();

export class FastPathRequest implements ApiRequest {
  readonly raw: IncomingMessage;
  readonly socket: Socket;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly url: string;
  readonly id: string;
  readonly ip: string;
  readonly host: string;
  readonly protocol = "http";
  readonly params: Record<string, string>;
  readonly query = {};
  readonly routeOptions: { config: RouteWithView };
  readonly origin: RequestOrigin;
  body: unknown = undefined;
  /** Set by the gate. */
  authenticated!: Authenticated;
  /** Only for the SDK routes of a run, which have no fast path. */
  run!: RunClaims;
  taken: Record<string, unknown> = {};
  receipt: Receipt | undefined = undefined;
  isMetered = false;

  constructor(ctx: Ctx, raw: IncomingMessage, config: RouteWithView, params: Record<string, string>) {
    const { headers, socket } = raw;
    this.raw = raw;
    this.socket = socket;
    this.headers = headers;
    this.method = raw.method ?? "";
    this.url = raw.url ?? "";
    this.id = requestIdOf(raw);
    this.ip = socket.remoteAddress ?? "";
    this.host = headers.host ?? "";
    this.params = params;
    this.routeOptions = { config };
    this.origin = originOf(ctx, this);
  }
}

export class FastPathReply implements ApiReply {
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

  type(mediaType: string): void {
    if (mediaType !== JSON_TYPE) throw new Error("the routes of the fast path respond with JSON");
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

  /** For Fastify, if it sends the response after all. */
  copyHeaders(reply: FastifyReply): void {
    for (let at = 0; at < this.#headers.length; at += 2) {
      reply.header(this.#headers[at] ?? "", this.#headers[at + 1]);
    }
  }

  /** During a drain the connection is closed after its request, as by Fastify. */
  send(request_id: string, body: string, isClosing: boolean): void {
    const headers = [...COMMON_HEADERS, "x-request-id", request_id, "content-type", JSON_TYPE];
    headers.push("content-length", String(Buffer.byteLength(body)), ...this.#headers);
    if (isClosing) headers.push("connection", "close");
    this.raw.writeHead(this.statusCode, headers);
    this.raw.end(body);
  }

  /** With its own headers alone. */
  sendProblem(body: string): void {
    this.raw.writeHead(this.statusCode, this.#headers).end(body);
  }
}
