import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Route } from "../platform/route.ts";

/** What the gate and the routes read of a request, whether Fastify or the fast path received it. */
export type ApiRequest = Pick<
  FastifyRequest,
  | "raw"
  | "socket"
  | "headers"
  | "method"
  | "url"
  | "id"
  | "ip"
  | "host"
  | "protocol"
  | "params"
  | "query"
  | "body"
  | "origin"
  | "authenticated"
  | "run"
  | "memberIn"
  | "taken"
  | "receipt"
  | "rawBody"
  | "isMetered"
  | "validationError"
> &
  Partial<Pick<FastifyRequest, "getValidationFunction">> & {
    routeOptions: { config: { route?: Route; shown?: Route | undefined } };
  };

/** What they write of its response. */
export type ApiReply = {
  readonly raw: ServerResponse;
  readonly statusCode: number;
  readonly elapsedTime: number;
  code(status: number): unknown;
  type(mediaType: string): unknown;
  header(name: string, value: string): unknown;
  headers(all: Record<string, string>): unknown;
};
