import { Readable } from "node:stream";
import type { Receipt } from "@millrace/contract/schema/receipts";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, preValidationHookHandler } from "fastify";
import type { TSchema } from "typebox";
import type { CallerCtx, Ctx, ProjectCtx, RunCtx } from "../platform/context.ts";
import { ApiError, invalid, unavailable } from "../platform/errors/errors.ts";
import { hasLargeField } from "../platform/json/large-values.ts";
import type { Route } from "../platform/route.ts";
import type { StreamSource } from "../platform/streams/event-stream.ts";
import { hasTakenLong, inSlices, yieldToEventLoop } from "../platform/time-slices.ts";
import type { Gate } from "./gate/gate.ts";
import { refuseChanged, takeReadOnly } from "./request/read-only-fields.ts";
import { hasFilters, refuseReversedTimes, refuseUnknownRefs } from "./request/refuse-filters.ts";
import { type ValidationError, withSemanticIssues } from "./request/semantic-validation.ts";
import { validatorOf } from "./request/validators.ts";
import { schemaLink } from "./response/schema-link.ts";
import { sendStream } from "./response/send-stream.ts";
import { serializerOf } from "./response/serializers.ts";
import { receiptInstead, receiptsFor, reduceTo } from "./response/write-receipts.ts";
import { contextFor, type RowInput } from "./route-context.ts";
import { routerPath, routeSchema } from "./route-schema.ts";
import { bodyOf, isAdmitted } from "./short-way/passed-on.ts";

type Fields = Record<string, unknown>;

/** A route, and the one that shows what it changes. */
export type PlacedRow = { row: Route; shown: Route | undefined };

/** The same with what is known of it before any request. */
export type RegisteredRow = PlacedRow & {
  gate: Gate;
  hasFilters: boolean;
  receiptsOf: (status: number) => readonly Receipt[];
  /** The name of the response's schema; undefined: it is sent as it is. */
  responseNameOf: (status: number) => string | undefined;
  validateBody: (body: unknown) => boolean;
};

/** Registers a route with Fastify: gate, validation, the route's handler, and the response with its `$schema`. */
export function registerRoute(app: FastifyInstance, ctx: Ctx, gate: Gate, placed: PlacedRow): RegisteredRow {
  const { row } = placed;
  const registered: RegisteredRow = {
    ...placed,
    gate,
    hasFilters: hasFilters(row),
    receiptsOf: openReceipts(row),
    responseNameOf: openNames(row),
    validateBody: row.isHot ? validatorOf(sharedSchema(row).body) : () => true,
  };
  app.route({
    method: row.method,
    url: routerPath(row.path),
    schema: sharedSchema(row),
    config: placed,
    // Lets the route's semantic validation run as well.
    attachValidation: row.semanticValidation !== undefined,
    onRequest: (request, reply, done) => {
      const admitting = row.isHot && isAdmitted(request) ? undefined : gate.admit(row, request, reply);
      if (!admitting) return done();
      admitting.then(() => done(), done);
    },
    ...(row.isHot && { preParsing: (request, _reply, payload, done) => done(null, bodyOf(request, payload)) }),
    ...(!row.signed && { preValidation: row.body ? prepareBody(placed) : refuseFields(placed) }),
    handler: async (request, reply) => {
      const response = await runRow(ctx, registered, request, reply);
      // Reading a row of a megabyte takes as long as serializing it.
      if (hasTakenLong()) await yieldToEventLoop();
      if (typeof response === "function") return sendStream(ctx, request, reply, response as StreamSource);
      if (registered.responseNameOf(reply.statusCode) === undefined || response instanceof Readable) return response;
      const { name, body } = toBody(ctx, registered, {
        request,
        status: reply.statusCode,
        response: response as Fields,
      });
      if (request.receipt) {
        reply.type("application/json; charset=utf-8").serializer(serializerOf(name));
        return body;
      }
      const { data } = body;
      if (!Array.isArray(data) || !data.some(hasLargeField)) return body;
      reply.type("application/json; charset=utf-8");
      return inSlices(serializeList(name, { ...body, data }));
    },
  });
  return registered;
}

type Responding = { request: FastifyRequest; status: number; response: Fields };

/** The body of a response, to be serialized by the schema of that name: the response, or the receipt in its place. */
export function toBody(ctx: Ctx, { responseNameOf }: RegisteredRow, { request, status, response }: Responding) {
  const { receipt } = request;
  const name = nameOf(receipt?.schema) ?? responseNameOf(status) ?? "";
  const body = receipt ? reduceTo(receipt, response) : response;
  body.$schema = schemaLink(ctx, request, name);
  return { name, body };
}

/** By status of the response. */
function openNames(row: Route): RegisteredRow["responseNameOf"] {
  const usual = nameOf(row.response);
  const others = new Map(
    Object.entries(row.otherResponses ?? {}).map(([status, response]) => [Number(status), nameOf(response)]),
  );
  return (status) => others.get(status) ?? usual;
}

/** By status of the response. */
function openReceipts(row: Route): (status: number) => readonly Receipt[] {
  const usual = receiptsFor(row, row.response);
  const others = new Map(
    Object.entries(row.otherResponses ?? {}).map(([status, response]) => [Number(status), receiptsFor(row, response)]),
  );
  return (status) => others.get(status) ?? usual;
}

const schemas = new WeakMap<Route, FastifySchema>();

/** The instances in a process share a route's schema, and so its compiled validator. */
function sharedSchema(row: Route): FastifySchema {
  const schema = schemas.get(row) ?? routeSchema(row);
  schemas.set(row, schema);
  return schema;
}

function prepareBody({ row, shown }: PlacedRow): preValidationHookHandler {
  return (request, _reply, done) => {
    // No body is an empty object; `null` was sent, and the schema refuses it.
    if (request.body === undefined) request.body = {};
    request.taken = takeReadOnly(row, shown, request.body);
    done();
  };
}

/** For a route without a body: refuses one with fields, which would otherwise be ignored silently. */
function refuseFields({ row, shown }: PlacedRow): preValidationHookHandler {
  return (request, _reply, done) => {
    const { body } = request;
    if (body === undefined) return done();
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      return done(invalid("body", "must be an object", body));
    }
    request.taken = takeReadOnly(row, shown, body);
    const [name] = Object.keys(body);
    if (name === undefined) return done();
    done(invalid(`body.${name}`, "is not a known field or parameter here", (body as Record<string, unknown>)[name]));
  };
}

/** Runs a route's handler for its caller. The response of a write does not show what the caller may not read. */
export function runRow(
  ctx: Ctx,
  placed: RegisteredRow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { row } = placed;
  const input = {
    params: request.params,
    query: request.query,
    body: request.body,
    idempotencyKey: row.takesIdempotencyKey ? readIdempotencyKey(request) : undefined,
    lastEventId: readLastEventId(request),
    accept: request.headers.accept,
    cookie: request.headers.cookie,
    signed: row.signed ? { body: request.rawBody ?? Buffer.alloc(0), headers: request.headers } : undefined,
  } as RowInput;
  reply.code(row.status);
  if (row.produces) reply.type(row.produces);
  const routeReply = {
    header: (name: string, value: string) => void reply.header(name, value),
    status: (code: number) => void reply.code(code),
    onClose: (fn: () => void) => void reply.raw.once("close", fn),
  };
  const isPublic = row.auth.kind === "none" || row.auth.kind === "operator";
  // Health, metrics and pages work without the database.
  const needsDatabase = !isPublic || row.path.startsWith("/v1/");
  if (needsDatabase && !ctx.watch.isUp()) throw unavailable("The database does not respond.");
  const { validationError } = request;
  const work = validationError
    ? refuseBody(ctx, row, request, input, validationError)
    : isPublic
      ? call(row, { ...ctx, origin: request.origin }, input, routeReply)
      : runAsCaller(ctx, placed, { request, input, reply: routeReply, status: () => reply.statusCode });
  return needsDatabase ? ctx.watch.guard(work) : work;
}

/**
 * For a route with semantic validation, Fastify passes schema errors on to us (`attachValidation`). They are thrown
 * before the handler runs, for any caller.
 */
async function refuseBody(ctx: Ctx, row: Route, request: FastifyRequest, input: RowInput, error: ValidationError) {
  const isOfProject = row.auth.kind === "project";
  const project = isOfProject ? await unlessRefused(() => contextFor(ctx, row, request, input)) : undefined;
  throw await withSemanticIssues(error, request, { config: ctx.config, project });
}

type Incoming = { request: FastifyRequest; input: RowInput; reply: object; status: () => number };

async function runAsCaller(ctx: Ctx, registered: RegisteredRow, incoming: Incoming): Promise<unknown> {
  const { row } = registered;
  const { request, input, reply } = incoming;
  if (row.auth.kind === "run") {
    const runCtx: RunCtx = { ...ctx, ...request.run, origin: request.origin };
    return call(row, runCtx, input, reply);
  }
  // Promises only where something must be read: a trigger with a cached key and job waits for its commit alone.
  const found = contextFor(ctx, row, request, input);
  const rowCtx = found instanceof Promise ? await found : found;
  if (registered.hasFilters) {
    refuseReversedTimes(input);
    if (row.auth.kind === "project") await refuseUnknownRefs(rowCtx as ProjectCtx, input);
  }
  if (hasFields(request.taken)) await refuseTaken(registered, rowCtx, incoming);
  const response = await call(row, rowCtx, input, reply);
  const receipts = registered.receiptsOf(incoming.status());
  if (receipts.length > 0) {
    const receipt = receiptInstead(rowCtx, receipts, response as Fields);
    request.receipt = receipt instanceof Promise ? await receipt : receipt;
  }
  return response;
}

function hasFields(given: object): boolean {
  for (const _ in given) return true;
  return false;
}

/** Not compared for a caller who may not read the object: the refusal would reveal its content. */
async function refuseTaken({ row, shown }: PlacedRow, rowCtx: CallerCtx, { request, input, reply }: Incoming) {
  if (!shown) return;
  const current = (await call(shown, rowCtx, { ...input, query: {} }, reply)) as Fields;
  const isHidden = await receiptInstead(rowCtx, receiptsFor(row, shown.response), current);
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

function call(row: Route, ctx: object, input: RowInput, reply: object): Promise<unknown> {
  return row.run(ctx as never, input as never, reply as never);
}

function readLastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers["last-event-id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}

function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key === "string" && /^[\x21-\x7e][\x20-\x7e]{0,255}$/.test(key)) return key;
  throw invalid("header.Idempotency-Key", "must be 1 to 256 printable ASCII characters", null);
}

export function nameOf(schema: TSchema | undefined): string | undefined {
  return (schema as unknown as { $id?: string } | undefined)?.$id;
}

type List = { data: unknown[] } & Record<string, unknown>;

/** A list as its response, item by item, for `inSlices`: a page of a hundred payloads takes seconds. */
export function* serializeList(name: string, list: List): Generator<void, string> {
  const serialize = serializerOf(name);
  const empty = serialize({ ...list, data: [] });
  const start = empty.indexOf(EMPTY) + EMPTY.length - 1;
  const end = start - empty.length;
  const items: string[] = [];
  for (const item of list.data) {
    yield;
    items.push(serialize({ ...list, data: [item] }).slice(start, end));
  }
  return `${empty.slice(0, start)}${items.join(",")}${empty.slice(end)}`;
}

const EMPTY = '"data":[]';
