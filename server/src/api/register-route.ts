import { Readable } from "node:stream";
import type { Receipt } from "@millrace/contract/schema/receipts";
import type { FastifyInstance, FastifySchema, preValidationHookHandler } from "fastify";
import type { TSchema } from "typebox";
import type { Ctx } from "../platform/context.ts";
import { invalid, overloaded } from "../platform/errors/errors.ts";
import { hasLargeField } from "../platform/json/large-values.ts";
import type { Route } from "../platform/route.ts";
import type { StreamSource } from "../platform/streams/event-stream.ts";
import { hasTakenLong, inSlices, yieldToEventLoop } from "../platform/time-slices.ts";
import { callRoute } from "./call-route.ts";
import { bodyOf, isAdmitted } from "./fast-path/passed-to-fastify.ts";
import { projectOfKey } from "./gate/authenticate.ts";
import type { Gate } from "./gate/gate.ts";
import type { ApiRequest } from "./http-messages.ts";
import type { RegisteredRoute, RouteWithView } from "./registered-route.ts";
import { takeReadOnly } from "./request/read-only-fields.ts";
import { hasFilters } from "./request/refuse-filters.ts";
import { validatorOf } from "./request/validators.ts";
import { schemaLink } from "./response/schema-link.ts";
import { sendStream } from "./response/send-stream.ts";
import { serializerOf } from "./response/serializers.ts";
import { receiptsFor, reduceTo } from "./response/write-receipts.ts";
import { routerPath, routeSchema } from "./route-schema.ts";

type Fields = Record<string, unknown>;

/** Registers a route with Fastify: gate, validation, the route's handler, and the response with its `$schema`. */
export function registerRoute(
  app: FastifyInstance,
  ctx: Ctx,
  gate: Gate,
  routeWithView: RouteWithView,
): RegisteredRoute {
  const { route } = routeWithView;
  const registered: RegisteredRoute = {
    ...routeWithView,
    gate,
    hasFilters: hasFilters(route),
    receiptsOf: openReceipts(route),
    responseNameOf: openNames(route),
    validateBody: route.isHot ? validatorOf(sharedSchema(route).body) : () => true,
  };
  app.route({
    method: route.method,
    url: routerPath(route.path),
    schema: sharedSchema(route),
    config: routeWithView,
    // Lets the route's semantic validation run as well.
    attachValidation: route.semanticValidation !== undefined,
    onRequest: (request, reply, done) => {
      if (route.isHot && isAdmitted(request)) return done();
      if (route.isOverloaded?.(ctx)) return done(overloaded());
      const admitted = () => {
        if (route.isOverloaded?.(ctx, projectOfKey(request.authenticated))) return done(overloaded());
        done();
      };
      const admitting = gate.admit(route, request, reply);
      if (!admitting) return admitted();
      admitting.then(admitted, done);
    },
    ...(route.isHot && { preParsing: (request, _reply, payload, done) => done(null, bodyOf(request, payload)) }),
    ...(!route.signed && { preValidation: route.body ? prepareBody(routeWithView) : refuseFields(routeWithView) }),
    handler: async (request, reply) => {
      const response = await callRoute(ctx, registered, request, reply);
      // Reading a row of a megabyte takes as long as serializing it.
      if (hasTakenLong()) await yieldToEventLoop();
      if (typeof response === "function") return sendStream(ctx, request, reply, response as StreamSource);
      if (isSentAsIs(registered, reply.statusCode) || response instanceof Readable) return response;
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

/** A response without a schema is the text or the stream that the route returns. */
export function isSentAsIs({ responseNameOf }: RegisteredRoute, status: number): boolean {
  return responseNameOf(status) === undefined;
}

type Responding = { request: ApiRequest; status: number; response: Fields };

/** The body of a response, to be serialized by the schema of that name: the response, or the receipt in its place. */
export function toBody(ctx: Ctx, { responseNameOf }: RegisteredRoute, { request, status, response }: Responding) {
  const { receipt } = request;
  const name = nameOf(receipt?.schema) ?? responseNameOf(status) ?? "";
  const body = receipt ? reduceTo(receipt, response) : response;
  body.$schema = schemaLink(ctx, request, name);
  return { name, body };
}

/** By status of the response. */
function openNames(route: Route): RegisteredRoute["responseNameOf"] {
  const usual = nameOf(route.response);
  const others = new Map(
    Object.entries(route.otherResponses ?? {}).map(([status, response]) => [Number(status), nameOf(response)]),
  );
  return (status) => others.get(status) ?? usual;
}

/** By status of the response. */
function openReceipts(route: Route): (status: number) => readonly Receipt[] {
  const usual = receiptsFor(route, route.response);
  const others = new Map(
    Object.entries(route.otherResponses ?? {}).map(([status, response]) => [
      Number(status),
      receiptsFor(route, response),
    ]),
  );
  return (status) => others.get(status) ?? usual;
}

const schemas = new WeakMap<Route, FastifySchema>();

/** The instances in a process share a route's schema, and so its compiled validator. */
function sharedSchema(route: Route): FastifySchema {
  const schema = schemas.get(route) ?? routeSchema(route);
  schemas.set(route, schema);
  return schema;
}

function prepareBody({ route, shown }: RouteWithView): preValidationHookHandler {
  return (request, _reply, done) => {
    // No body is an empty object; `null` was sent, and the schema refuses it.
    if (request.body === undefined) request.body = {};
    request.taken = takeReadOnly(route, shown, request.body);
    done();
  };
}

/** For a route without a body: refuses one with fields, which would otherwise be ignored silently. */
function refuseFields({ route, shown }: RouteWithView): preValidationHookHandler {
  return (request, _reply, done) => {
    const { body } = request;
    if (body === undefined) return done();
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      return done(invalid("body", "must be an object", body));
    }
    request.taken = takeReadOnly(route, shown, body);
    const [name] = Object.keys(body);
    if (name === undefined) return done();
    done(invalid(`body.${name}`, "is not a known field or parameter here", (body as Record<string, unknown>)[name]));
  };
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
