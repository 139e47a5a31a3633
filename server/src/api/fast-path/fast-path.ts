import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Ctx } from "../../platform/context.ts";
import { parseJson } from "../../platform/json/parse-json.ts";
import { beginWork, hasTakenLong, yieldToEventLoop } from "../../platform/time-slices.ts";
import { callRoute } from "../call-route.ts";
import { projectOfKey } from "../gate/authenticate.ts";
import { meterRequest } from "../gate/meter-requests.ts";
import { isSentAsIs, toBody } from "../register-route.ts";
import type { RegisteredRoute } from "../registered-route.ts";
import { takeReadOnly } from "../request/read-only-fields.ts";
import { LARGE_BYTES } from "../request/validators.ts";
import { serializerOf } from "../response/serializers.ts";
import { FastPathReply, FastPathRequest } from "./fast-path-messages.ts";
import { passToFastify } from "./passed-to-fastify.ts";
import { refuseOverloaded } from "./refuse-overloaded.ts";

type Listener = (request: IncomingMessage, response: ServerResponse) => void;
/** Without a parameter, the prefix is the whole path. */
type FastPathRoute = { registered: RegisteredRoute; param: string | undefined; prefix: string; suffix: string };

/**
 * Serves plain requests of the busiest routes (`isHot`) without Fastify's pipeline, which takes longer than their
 * handlers: the same gate, parser, schemas and handler, called directly. Everything unusual is passed to Fastify: other
 * credentials, a query, a large or invalid body, and every error.
 */
export function openFastPath(app: FastifyInstance, ctx: Ctx, registered: readonly RegisteredRoute[]): void {
  const { trusted_proxies, cors_origins } = ctx.config;
  if (trusted_proxies.length > 0 || cors_origins.length > 0) return;
  const routes = registered.flatMap(fastPathRoute);
  const [fastify] = app.server.listeners("request") as Listener[];
  if (!fastify) throw new Error("the server has no listener");
  app.server.removeListener("request", fastify);
  app.server.on("request", (raw: IncomingMessage, response: ServerResponse) => {
    const route = ctx.state.draining ? undefined : findRoute(routes, raw, ctx.config.max_body_bytes);
    if (route) void serve(ctx, fastify, route, { raw, response });
    else fastify(raw, response);
  });
}

function fastPathRoute(registered: RegisteredRoute): FastPathRoute[] {
  const { route } = registered;
  const [, prefix = route.path, param, suffix = ""] = /^(.*)\{(\w+)\}(.*)$/.exec(route.path) ?? [];
  return route.isHot ? [{ registered, param, prefix, suffix }] : [];
}

/** An id or a slug. */
const PLAIN_REF = /^[\w-]{1,128}$/;

function findRoute(routes: readonly FastPathRoute[], { method, url = "", headers }: IncomingMessage, maxBytes: number) {
  if (method !== "POST") return undefined;
  const route = routes.find((each) => isAddressed(each, url));
  if (!route) return undefined;
  const size = Number(headers["content-length"] ?? 0);
  const isPlain =
    headers["content-type"] === "application/json" &&
    headers["content-encoding"] === undefined &&
    headers.host !== undefined &&
    headers.authorization?.startsWith("Bearer svc_") === true;
  return isPlain && size > 0 && size <= Math.min(LARGE_BYTES, maxBytes) ? route : undefined;
}

function isAddressed(route: FastPathRoute, url: string): boolean {
  if (route.param === undefined) return url === route.prefix;
  return url.startsWith(route.prefix) && url.endsWith(route.suffix) && PLAIN_REF.test(refOf(route, url));
}

function refOf({ prefix, suffix }: FastPathRoute, url: string): string {
  return url.slice(prefix.length, url.length - suffix.length);
}

type Exchange = { raw: IncomingMessage; response: ServerResponse };

async function serve(ctx: Ctx, fastify: Listener, route: FastPathRoute, { raw, response }: Exchange): Promise<void> {
  const { registered, param } = route;
  const params: Record<string, string> = param === undefined ? {} : { [param]: refOf(route, raw.url ?? "") };
  const request = new FastPathRequest(ctx, raw, registered, params);
  const reply = new FastPathReply(response);
  if (registered.route.isOverloaded?.(ctx)) return refuseOverloaded(ctx, request, reply);
  try {
    const admitting = registered.gate.admit(registered.route, request, reply);
    if (admitting) await admitting;
    if (registered.route.isOverloaded?.(ctx, projectOfKey(request.authenticated)))
      return refuseOverloaded(ctx, request, reply);
    const body = await readBody(raw);
    if (!takeBody(registered, request, body)) {
      passToFastify(request, { body, admitted: request, reply });
      fastify(raw, response);
      return;
    }
    const result = await callRoute(ctx, registered, request, reply);
    if (hasTakenLong()) await yieldToEventLoop();
    reply.send(request.id, toText(ctx, registered, { request, status: reply.statusCode, result }), ctx.state.draining);
    meterRequest(ctx, request, reply);
  } catch (failure) {
    passToFastify(request, { failure, reply });
    fastify(raw, response);
  }
}

type Result = { request: FastPathRequest; status: number; result: unknown };

function toText(ctx: Ctx, registered: RegisteredRoute, { request, status, result }: Result): string {
  if (isSentAsIs(registered, status)) return result as string;
  const { name, body } = toBody(ctx, registered, { request, status, response: result as Record<string, unknown> });
  return serializerOf(name)(body);
}

function readBody(raw: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    raw.on("data", (chunk: Buffer) => chunks.push(chunk));
    raw.once("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  });
}

/** False: Fastify reports what is wrong with the body. */
function takeBody({ route, shown, validateBody }: RegisteredRoute, request: FastPathRequest, body: Buffer): boolean {
  beginWork();
  const parsed = parseJson(body);
  if (!parsed.ok) return false;
  request.body = parsed.value;
  request.taken = takeReadOnly(route, shown, parsed.value);
  return validateBody(parsed.value);
}
