import type { CallerCtx, Ctx, ProjectCtx, RunCtx } from "../platform/context.ts";
import { ApiError, invalid, unavailable } from "../platform/errors/errors.ts";
import type { Route } from "../platform/route.ts";
import { isStillAuthorized } from "./gate/still-authorized.ts";
import type { ApiReply, ApiRequest } from "./http-messages.ts";
import type { RegisteredRoute, RouteWithView } from "./registered-route.ts";
import { refuseChanged } from "./request/read-only-fields.ts";
import { refuseReversedTimes, refuseUnknownRefs } from "./request/refuse-filters.ts";
import { type ValidationError, withSemanticIssues } from "./request/semantic-validation.ts";
import { receiptInstead, receiptsFor } from "./response/write-receipts.ts";
import { contextFor, type RouteInput } from "./route-context.ts";

type Fields = Record<string, unknown>;

/** Runs a route's handler for its caller. The response of a write does not show what the caller may not read. */
export function callRoute(
  ctx: Ctx,
  registered: RegisteredRoute,
  request: ApiRequest,
  reply: ApiReply,
): Promise<unknown> {
  const { route } = registered;
  const input = {
    params: request.params,
    query: request.query,
    body: request.body,
    idempotencyKey: route.takesIdempotencyKey ? readIdempotencyKey(request) : undefined,
    lastEventId: readLastEventId(request),
    accept: request.headers.accept,
    cookie: request.headers.cookie,
    signed: route.signed ? { body: request.rawBody ?? Buffer.alloc(0), headers: request.headers } : undefined,
  } as RouteInput;
  reply.code(route.status);
  if (route.produces) reply.type(route.produces);
  const routeReply = {
    header: (name: string, value: string) => void reply.header(name, value),
    status: (code: number) => void reply.code(code),
    onClose: (fn: () => void) => void reply.raw.once("close", fn),
    isAuthorized: () => isStillAuthorized(ctx, request),
  };
  const isPublic = route.auth.kind === "none" || route.auth.kind === "operator";
  // Health, metrics and pages work without the database.
  const needsDatabase = !isPublic || route.path.startsWith("/v1/");
  if (needsDatabase && !ctx.watch.isUp()) throw unavailable("The database does not respond.");
  const { validationError } = request;
  const work = validationError
    ? refuseBody(ctx, route, request, input, validationError)
    : isPublic
      ? call(route, { ...ctx, origin: request.origin }, input, routeReply)
      : runAsCaller(ctx, registered, { request, input, reply: routeReply, status: () => reply.statusCode });
  return needsDatabase ? ctx.watch.guard(work) : work;
}

/**
 * For a route with semantic validation, Fastify passes schema errors on to us (`attachValidation`). They are thrown
 * before the handler runs, for any caller.
 */
async function refuseBody(ctx: Ctx, route: Route, request: ApiRequest, input: RouteInput, error: ValidationError) {
  const isOfProject = route.auth.kind === "project";
  const project = isOfProject ? await unlessRefused(() => contextFor(ctx, route, request, input)) : undefined;
  throw await withSemanticIssues(error, request, { config: ctx.config, project });
}

type Incoming = { request: ApiRequest; input: RouteInput; reply: object; status: () => number };

async function runAsCaller(ctx: Ctx, registered: RegisteredRoute, incoming: Incoming): Promise<unknown> {
  const { route } = registered;
  const { request, input, reply } = incoming;
  if (route.auth.kind === "run") {
    const runCtx: RunCtx = { ...ctx, ...request.run, origin: request.origin };
    return call(route, runCtx, input, reply);
  }
  // Promises only where something must be read: a trigger with a cached key and job waits for its commit alone.
  const found = contextFor(ctx, route, request, input);
  const routeCtx = found instanceof Promise ? await found : found;
  if (registered.hasFilters) {
    refuseReversedTimes(input);
    if (route.auth.kind === "project") await refuseUnknownRefs(routeCtx as ProjectCtx, input);
  }
  if (hasFields(request.taken)) await refuseTaken(registered, routeCtx, incoming);
  const response = await call(route, routeCtx, input, reply);
  const receipts = registered.receiptsOf(incoming.status());
  if (receipts.length > 0) {
    const receipt = receiptInstead(routeCtx, receipts, response as Fields);
    request.receipt = receipt instanceof Promise ? await receipt : receipt;
  }
  return response;
}

function hasFields(given: object): boolean {
  for (const _ in given) return true;
  return false;
}

/** Not compared for a caller who may not read the object: the refusal would reveal its content. */
async function refuseTaken({ route, shown }: RouteWithView, routeCtx: CallerCtx, { request, input, reply }: Incoming) {
  if (!shown) return;
  const current = (await call(shown, routeCtx, { ...input, query: {} }, reply)) as Fields;
  const isHidden = await receiptInstead(routeCtx, receiptsFor(route, shown.response), current);
  refuseChanged(request.taken, isHidden ? "hidden" : current);
}

/** Schema issues are returned to any sender, even one without permission. */
async function unlessRefused<T>(find: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function call(route: Route, ctx: object, input: RouteInput, reply: object): Promise<unknown> {
  return route.run(ctx as never, input as never, reply as never);
}

function readLastEventId({ headers }: ApiRequest): string | undefined {
  const id = headers["last-event-id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}

function readIdempotencyKey({ headers }: ApiRequest): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key === "string" && /^[\x21-\x7e][\x20-\x7e]{0,255}$/.test(key)) return key;
  throw invalid("header.Idempotency-Key", "must be 1 to 256 printable ASCII characters", null);
}
