import type { ErrorCode } from "@millrace/contract/error-codes/all-codes";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { ApiError } from "../../platform/errors/errors.ts";
import type { JsonProblem } from "../../platform/json/json-location.ts";
import { type ParsedJson, parseJson, readJson } from "../../platform/json/parse-json.ts";
import { beginWork, inSlices, yieldToEventLoop } from "../../platform/time-slices.ts";
import { LARGE_BYTES, recordSize } from "./validators.ts";

const CODES: Record<JsonProblem["kind"], ErrorCode> = {
  malformed: "bad_request",
  text: "invalid_text",
  number: "number_out_of_range",
  shape: "payload_too_complex",
  repeated: "duplicate_key",
};

/** Bodies are JSON, parsed strictly: anything that could not be stored as sent is refused with its location. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/(scim\+)?json\s*(;|$)/i, { parseAs: "buffer" }, (request, body, done) => {
    if (request.headers["content-encoding"] && request.headers["content-encoding"] !== "identity") {
      return done(new ApiError("unsupported_media_type", "Compressed bodies are not accepted."));
    }
    if (request.routeOptions.config.route?.signed) request.rawBody = body as Buffer;
    // An empty body is no body: a POST whose fields are all optional may omit it.
    if (body.length === 0) return done(null, undefined);
    if (body.length <= LARGE_BYTES) {
      beginWork();
      return finish(parseJson(body as Buffer));
    }
    // A megabyte takes tens of milliseconds to parse, and as many to validate.
    void inSlices(readJson(body as Buffer)).then(async (parsed) => {
      await yieldToEventLoop();
      finish(parsed);
    });

    function finish(parsed: ParsedJson): void {
      if (!parsed.ok) done(apiErrorOf(parsed.problem, request));
      else {
        recordSize(parsed.value, body.length);
        done(null, parsed.value);
      }
    }
  });
}

function apiErrorOf(problem: JsonProblem, request: FastifyRequest): ApiError {
  const { kind, location, value } = problem;
  const bound =
    kind === "number" ? exceededBound(request.routeOptions.config.route?.body, location, String(value)) : undefined;
  const message = bound ?? problem.message;
  return new ApiError(CODES[kind], `${location}: ${message}`, {
    errors: [{ location, message, value: value ?? null }],
  });
}

type Schema = { anyOf?: Schema[]; properties?: Record<string, Schema>; minimum?: number; maximum?: number };

/**
 * The error for a number outside the bounds of its field: the usual advice, to send a string, would not help there.
 * Undefined for fields the user defines.
 */
function exceededBound(body: TSchema | undefined, location: string, literal: string): string | undefined {
  const [, ...names] = location.split(".");
  const fields = names.reduce(fieldsOf, body ? [body as Schema] : []);
  const [bound] = fields.flatMap(formsOf).filter(({ maximum }) => maximum !== undefined);
  if (bound?.maximum !== undefined && Number(literal) > bound.maximum) return `must be at most ${bound.maximum}`;
  if (bound?.minimum !== undefined && Number(literal) < bound.minimum) return `must be at least ${bound.minimum}`;
  return undefined;
}

function fieldsOf(schemas: Schema[], name: string): Schema[] {
  return schemas.flatMap(formsOf).flatMap(({ properties }) => properties?.[name] ?? []);
}

function formsOf(schema: Schema): Schema[] {
  return schema.anyOf ?? [schema];
}
