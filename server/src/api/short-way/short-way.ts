import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Ctx } from "../../platform/context.ts";
import { parseJson } from "../../platform/json/parse-json.ts";
import { beginWork, hasTakenLong, yieldToEventLoop } from "../../platform/time-slices.ts";
import { meterRequest } from "../gate/meter-requests.ts";
import type { RegisteredRow } from "../register-route.ts";
import { runRow, toBody } from "../register-route.ts";
import { takeReadOnly } from "../request/read-only-fields.ts";
import { LARGE_BYTES } from "../request/validators.ts";
import { serializerOf } from "../response/serializers.ts";
import { passOn } from "./passed-on.ts";
import { ShortReply, shortRequest } from "./short-messages.ts";

type Listener = (request: IncomingMessage, response: ServerResponse) => void;
type ShortRoute = { registered: RegisteredRow; param: string; prefix: string; suffix: string };

/**
 * Serves plain requests of the busiest routes (`isHot`) without Fastify's pipeline, which takes longer than their
 * handlers: the same gate, parser, schemas and handler, called directly. Everything unusual takes the usual way: other
 * credentials, a query, a large or invalid body, and every error.
 */
export function openShortWay(app: FastifyInstance, ctx: Ctx, registered: readonly RegisteredRow[]): void {
  const { trusted_proxies, cors_origins } = ctx.config;
  if (trusted_proxies.length > 0 || cors_origins.length > 0) return;
  const routes = registered.flatMap(shortRoute);
  const [usual] = app.server.listeners("request") as Listener[];
  if (!usual) throw new Error("the server has no listener");
  app.server.removeListener("request", usual);
  app.server.on("request", (raw: IncomingMessage, response: ServerResponse) => {
    const route = ctx.state.draining ? undefined : findRoute(routes, raw, ctx.config.max_body_bytes);
    if (route) void serve(ctx, usual, route, { raw, response });
    else usual(raw, response);
  });
}

function shortRoute(registered: RegisteredRow): ShortRoute[] {
  const { row } = registered;
  const [, prefix = "", param = "", suffix = ""] = /^(.*)\{(\w+)\}(.*)$/.exec(row.path) ?? [];
  return row.isHot ? [{ registered, param, prefix, suffix }] : [];
}

/** An id or a slug. */
const PLAIN_REF = /^[\w-]{1,128}$/;

function findRoute(routes: readonly ShortRoute[], { method, url = "", headers }: IncomingMessage, maxBytes: number) {
  if (method !== "POST") return undefined;
  const route = routes.find(({ prefix, suffix }) => url.startsWith(prefix) && url.endsWith(suffix));
  if (!route || !PLAIN_REF.test(url.slice(route.prefix.length, url.length - route.suffix.length))) return undefined;
  const size = Number(headers["content-length"] ?? 0);
  const isPlain =
    headers["content-type"] === "application/json" &&
    headers["content-encoding"] === undefined &&
    headers.host !== undefined &&
    headers.authorization?.startsWith("Bearer svc_") === true;
  return isPlain && size > 0 && size <= Math.min(LARGE_BYTES, maxBytes) ? route : undefined;
}

type Exchange = { raw: IncomingMessage; response: ServerResponse };

async function serve(ctx: Ctx, usual: Listener, route: ShortRoute, { raw, response }: Exchange): Promise<void> {
  const { registered, prefix, suffix, param } = route;
  const ref = (raw.url ?? "").slice(prefix.length, (raw.url ?? "").length - suffix.length);
  const request = shortRequest(ctx, raw, registered, { [param]: ref });
  const reply = new ShortReply(response);
  const asReply = reply as unknown as FastifyReply;
  try {
    const admitting = registered.gate.admit(registered.row, request, asReply);
    if (admitting) await admitting;
    const body = await readBody(raw);
    if (!takeBody(registered, request, body)) {
      passOn(request, { body, admitted: request, reply });
      usual(raw, response);
      return;
    }
    const result = await runRow(ctx, registered, request, asReply);
    if (hasTakenLong()) await yieldToEventLoop();
    const { name, body: shown } = toBody(ctx, registered, {
      request,
      status: reply.statusCode,
      response: result as Record<string, unknown>,
    });
    reply.send(request.id, serializerOf(name)(shown), ctx.state.draining);
    meterRequest(ctx, request, asReply);
  } catch (failure) {
    passOn(request, { failure, reply });
    usual(raw, response);
  }
}

function readBody(raw: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    raw.on("data", (chunk: Buffer) => chunks.push(chunk));
    raw.once("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  });
}

/** False: the usual way says what is wrong with the body. */
function takeBody({ row, shown, validateBody }: RegisteredRow, request: FastifyRequest, body: Buffer): boolean {
  beginWork();
  const parsed = parseJson(body);
  if (!parsed.ok) return false;
  request.body = parsed.value;
  request.taken = takeReadOnly(row, shown, parsed.value);
  return validateBody(parsed.value);
}
