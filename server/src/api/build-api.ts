import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import cors from "@fastify/cors";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { readDocsPage } from "../features/docs/read-docs-file.ts";
import { isPageRequested, readDashboardPage } from "../features/home/read-dashboard-file.ts";
import { flushKeyUses } from "../platform/access/credentials/key-use.ts";
import type { Ctx } from "../platform/context.ts";
import { ApiError } from "../platform/errors/errors.ts";
import { inProcessApi } from "../platform/http/in-process-api.ts";
import type { Route } from "../platform/route.ts";
import { closeStreams } from "../platform/streams/event-stream.ts";
import { openFastPath } from "./fast-path/fast-path.ts";
import { failureOf } from "./fast-path/passed-to-fastify.ts";
import { openGate } from "./gate/gate.ts";
import { meterRequest } from "./gate/meter-requests.ts";
import { registerRoute } from "./register-route.ts";
import { acceptJsonOnly } from "./request/read-body.ts";
import { openMethodError, refuseShadowedMethods } from "./request/refuse-other-methods.ts";
import { compileValidators } from "./request/validators.ts";
import { originOf, requestIdOf } from "./request-origin.ts";
import { sendProblem } from "./response/problem.ts";
import { SECURITY_HEADERS } from "./response/security-headers.ts";
import { sendBadRequest } from "./response/send-bad-request.ts";
import { compileSerializers } from "./response/serializers.ts";

const REQUEST_TIMEOUT_MS = 30_000; // for a request to arrive completely: a slow sender must not hold a connection
const MAX_REMAINDER_MS = 2_000; // for the rest of a refused request
const MAX_PARAM_LENGTH = 6_144; // an event key of 512 code points, each percent-encoded as 12 characters

/** The HTTP server with every route, ready to listen. */
export async function buildApi(ctx: Ctx, routes: readonly Route[]): Promise<FastifyInstance> {
  const app = fastify({
    logger: false, // requests are logged below, by route and without bodies
    bodyLimit: ctx.config.max_body_bytes,
    trustProxy: ctx.config.trusted_proxies.length > 0 ? ctx.config.trusted_proxies : false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: requestIdOf,
    requestIdHeader: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: false },
    return503OnClosing: false, // requests on open connections are served until the drain ends
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => void sendProblem(ctx, error, request, reply),
    http: { requireHostHeader: false }, // refused below, in the same format as every other error
    clientErrorHandler: (error, socket) => sendBadRequest(ctx, error, socket),
  });
  app.setValidatorCompiler(compileValidators());
  app.setSerializerCompiler(compileSerializers());
  acceptJsonOnly(app);
  addHooks(app, ctx, routes);
  closeIdleConnections(app);
  if (ctx.config.cors_origins.length > 0) await allowOrigins(app, ctx.config.cors_origins);
  app.setErrorHandler((error, request, reply) => sendProblem(ctx, error, request, reply));
  app.setNotFoundHandler(sendNotFound);
  const gate = openGate(ctx);
  const registered = routes.map((route) => registerRoute(app, ctx, gate, { route, shown: shownBy(routes, route) }));
  openFastPath(app, ctx, registered);
  ignoreExpectations(app);
  refuseShadowedMethods(app, routes);
  serveInProcess(app, ctx);
  return app;
}

export function serveInProcess(app: FastifyInstance, ctx: Ctx): void {
  inProcessApi(ctx).send = async ({ method, path, headers, body, ip }) => {
    const payload = body === undefined ? {} : { payload: body as object };
    const response = await app.inject({ method, url: path, headers, remoteAddress: ip, ...payload });
    return { status: response.statusCode, body: response.body };
  };
}

function addHooks(app: FastifyInstance, ctx: Ctx, routes: readonly Route[]): void {
  const refuseMethod = openMethodError(routes);
  app.decorateRequest("origin");
  app.decorateRequest("authenticated");
  app.decorateRequest("taken");
  app.decorateRequest("receipt", undefined);
  app.decorateRequest("isMetered", false);
  app.addHook("onRequest", (request, reply, done) => {
    request.origin = originOf(ctx, request);
    request.taken = {};
    reply.headers(SECURITY_HEADERS).header("x-request-id", request.id);
    const failure = failureOf(request, reply);
    if (failure !== undefined) return done(failure as Error);
    const isNameless = request.headers.host === undefined && request.raw.httpVersion === "1.1";
    if (isNameless) return done(new ApiError("bad_request", "A request must have a Host header."));
    // Before the body is read: its content cannot matter.
    done(request.is404 ? refuseMethod(request) : undefined);
  });
  app.addHook("onSend", (request, reply, _payload, done) => {
    // During a drain each connection is closed after its request, so that clients move to another instance. Checked at
    // the end, since a request may have begun before the drain. An idle connection that stayed open would delay the
    // shutdown.
    if (ctx.state.draining) reply.header("connection", "close");
    const isClosing = ctx.state.draining || /\bclose\b/i.test(request.headers.connection ?? "");
    if (!isClosing || request.raw.complete) return done();
    readRest(request.raw, done);
  });
  app.addHook("onResponse", (request, reply, done) => {
    meterRequest(ctx, request, reply);
    done();
  });
  app.addHook("onClose", () => flushKeyUses(ctx));
  app.addHook("preClose", (done) => {
    closeStreams(ctx);
    done();
  });
}

/**
 * Closing a connection whose request was not read completely resets it, and the client may lose the response: a request
 * that is refused early is read to its end first, but not for long.
 */
function readRest(request: IncomingMessage, done: () => void): void {
  const finish = () => {
    clearTimeout(timer);
    request.off("end", finish).off("close", finish);
    done();
  };
  const timer = setTimeout(finish, MAX_REMAINDER_MS);
  request.once("end", finish).once("close", finish).resume();
}

async function allowOrigins(app: FastifyInstance, origins: string[]): Promise<void> {
  await app.register(cors, {
    origin: origins,
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    allowedHeaders: [
      "authorization",
      "content-type",
      "idempotency-key",
      "last-event-id",
      "x-project-id",
      "x-request-id",
    ],
    exposedHeaders: ["x-request-id", "retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"],
    maxAge: 600,
    strictPreflight: false, // any OPTIONS request counts as a preflight, instead of getting the plugin's own error
  });
}

/** The route that shows what this one changes: PUT and PATCH accept what GET on their path returns. */
export function shownBy(routes: readonly Route[], { method, path }: Route): Route | undefined {
  if (!changesShown(method)) return undefined;
  return routes.find((route) => route.method === "GET" && route.path === path);
}

export function changesShown(method: Route["method"]): boolean {
  return method === "PUT" || method === "PATCH";
}

/**
 * A path without a route: a browser that follows a link gets the dashboard, which handles its own pages, or a page of
 * the documentation that says so; others get a problem.
 */
async function sendNotFound(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { method, url, headers } = request;
  const path = url.split("?", 1)[0] ?? "";
  const routeReply = {
    header: (name: string, value: string) => void reply.header(name, value),
    status: (code: number) => void reply.code(code),
  };
  const page = isPageRequested(method, url, headers.accept)
    ? await readDashboardPage(routeReply)
    : path.startsWith("/docs/") && (method === "GET" || method === "HEAD")
      ? await readDocsPage({ path: path.slice("/docs/".length), accept: headers.accept }, routeReply)
      : undefined;
  if (page !== undefined) return reply.type("text/html; charset=utf-8").send(page);
  const message = "There is no such path. The API reference is at /docs/api.";
  throw new ApiError("not_found", message, { errors: [{ location: "path", message, value: path.slice(0, 200) }] });
}

/**
 * An expectation other than `100-continue` may be ignored (RFC 9110, 10.1.1). Node would refuse it with a response of its own,
 * without a problem or a request id.
 */
function ignoreExpectations({ server }: FastifyInstance): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

/** Time for a request on a new connection. */
const FIRST_REQUEST_WITHIN_MS = 1_000;

/**
 * Closes connections without any request, which browsers open speculatively. Node treats them as busy, and would delay
 * a shutdown for a minute.
 */
function closeIdleConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  app.addHook("preClose", (done) => {
    setTimeout(() => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, FIRST_REQUEST_WITHIN_MS).unref();
    done();
  });
}
