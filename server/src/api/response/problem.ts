import { ERROR_CODES, type ErrorCode, statusOf } from "@millrace/contract/error-codes/all-codes";
import type { Problem, ProblemError } from "@millrace/contract/schema/problem";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Ctx } from "../../platform/context.ts";
import { cannotWrite, isConnectionLoss, isDatabaseTimeout } from "../../platform/database/database-errors.ts";
import { ApiError, unavailable } from "../../platform/errors/errors.ts";
import { validationError } from "../../platform/errors/issues.ts";
import { issuesOf } from "../request/semantic-validation.ts";
import { schemaLink } from "./schema-link.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";

/** The only place where an error becomes a response. */
export function sendProblem(ctx: Ctx, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const apiError = asApiError(ctx, error);
  if (apiError.code === "internal_error") {
    ctx.log.error(
      { request_id: request.id, route: request.routeOptions?.url, error: describe(error) },
      "internal error",
    );
  }
  if (cannotWrite(apiError.cause)) {
    ctx.log.error({ request_id: request.id, reason: (apiError.cause as Error).message }, "the database cannot write");
  }
  const status = statusOf(apiError.code, request.routeOptions?.config?.route?.auth.kind === "run");
  const common = {
    status,
    $schema: schemaLink(ctx, request, "Problem"),
    instance: pathOf(request),
    request_id: request.id,
  };
  const problem = presentProblem(withPlace(apiError, request), common);
  const sent = reply.code(status).headers(problemHeaders(apiError, request.id)).serializer(JSON.stringify);
  return isScim(request) ? sent.type("application/scim+json").send(asScim(problem)) : sent.send(problem);
}

/** The error of RFC 7644, 3.12, whose status is text, with the members of ours. */
function asScim(problem: Problem): object {
  const scimType = SCIM_TYPES[problem.code as ErrorCode];
  return { ...problem, schemas: [SCIM_ERROR], status: String(problem.status), ...(scimType && { scimType }) };
}

const SCIM_ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";
const SCIM_TYPES: Partial<Record<ErrorCode, string>> = { conflict: "uniqueness", bad_request: "invalidValue" };

function isScim({ routeOptions }: FastifyRequest): boolean {
  return routeOptions?.config?.route?.path.startsWith("/scim/") === true;
}

/** A 404 names the part of the request that names the missing object. */
function withPlace(apiError: ApiError, request: FastifyRequest): ApiError {
  if (apiError.code !== "not_found" || apiError.errors.length > 0) return apiError;
  const { message, headers, cause } = apiError;
  return new ApiError("not_found", message, { errors: missingPlace(apiError, request), headers, cause });
}

/** Complete in itself: a path that cannot be routed is refused before any hook has run. */
export function problemHeaders(apiError: ApiError, request_id: string): Record<string, string> {
  return {
    ...SECURITY_HEADERS,
    "x-request-id": request_id,
    "content-type": "application/problem+json",
    link: `</docs/errors/${apiError.code}>; rel="help"`,
    ...(statusOf(apiError.code) === 401 && { "www-authenticate": "Bearer" }),
    ...apiError.headers,
  };
}

export function presentProblem(
  { code, message, errors }: ApiError,
  common: { $schema: string; instance: string; request_id: string; status: number },
): Problem & { $schema: string } {
  const { title } = ERROR_CODES[code];
  return {
    ...{ type: "about:blank", title, detail: message, errors: hideSecrets(errors), error: message, code },
    ...common,
  };
}

/** Without the query string, which may contain a `?token=`, and without a token in the path. */
function pathOf({ url, routeOptions }: FastifyRequest): string {
  const path = routeOptions?.config?.route?.path;
  return path?.includes("{token}") ? path : (url.split("?", 1)[0] ?? "");
}

function asApiError(ctx: Ctx, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isConnectionLoss(error)) return unavailable("The database cannot be reached, or has no free connection.", error);
  if (isDatabaseTimeout(error)) return unavailable("The database is too busy to respond in time.", error);
  if (cannotWrite(error)) return unavailable("The database cannot write: it is full, or read-only.", error);
  return (
    frameworkError(ctx, error as FastifyError) ??
    new ApiError("internal_error", "An unexpected error occurred in the service.", { cause: error })
  );
}

/** Errors that Fastify itself raises before or while reading a request. */
function frameworkError({ config }: Ctx, error: FastifyError): ApiError | undefined {
  if (error.validation) {
    const part = error.validationContext ?? "body";
    return validationError(issuesOf(error.validation, part));
  }
  const code = FRAMEWORK_CODES[error.code as keyof typeof FRAMEWORK_CODES];
  if (code === "payload_too_large")
    return new ApiError(code, `The body is larger than ${config.max_body_bytes} bytes, the most this service accepts.`);
  if (code) return new ApiError(code, FRAMEWORK_MESSAGES[code]);
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500)
    return new ApiError("bad_request", error.message);
  return undefined;
}

const FRAMEWORK_CODES = {
  FST_ERR_CTP_BODY_TOO_LARGE: "payload_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bad_request",
  FST_ERR_BAD_URL: "bad_request",
  FST_ERR_MAX_PARAM_LENGTH: "uri_too_long",
} as const satisfies Record<string, ErrorCode>;

const FRAMEWORK_MESSAGES = {
  unsupported_media_type: "Send the body as application/json.",
  bad_request: "The path is malformed, or Content-Length does not match the body.",
  uri_too_long: "A part of the path is longer than 6,144 characters.",
};

/** For the log: the chain of messages and the stack. Never the request. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.stack ?? error.message}${error.cause ? ` · caused by ${describe(error.cause)}` : ""}`;
}

/** Names of fields that hold secrets: their values, valid or not, are never echoed. Timestamps are not secret. */
const SECRET =
  /^(?!.*_at$)(.*secret.*|.*password.*|.*token|api_?key|code|auth|authorization|cookie|credentials?|headers|variables)$/i;

/** The issues of a request, without its secrets: responses are logged by proxies and shown on screens. */
function hideSecrets(errors: readonly ProblemError[]): ProblemError[] {
  return errors.map((error) => {
    const names = error.location.split(/[.[\]]+/);
    return { ...error, value: names.some((name) => SECRET.test(name)) ? null : withoutSecrets(error.value) };
  });
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, SECRET.test(name) ? null : withoutSecrets(each)]),
  );
}

type Values = Record<string, unknown>;

/** Where the request names the missing object: in its path, or in a field with a matching name. */
function missingPlace({ message }: ApiError, request: FastifyRequest): ProblemError[] {
  const what = /^There is no such ([\w ]+?)(?: of the .*)?\.$/.exec(message)?.[1];
  if (what === undefined) return [];
  const params = (request.params ?? {}) as Values;
  const named = Object.keys(params).find((name) => isCalled(what, wordsOf(name)));
  const field = named ? undefined : findField(what, request);
  const last = named ?? Object.keys(params).at(-1);
  if (field) return [{ ...field, message }];
  if (last === undefined) return [];
  // A callback's token is a credential.
  return [{ location: `path.${last}`, message, value: last === "token" ? null : String(params[last]).slice(0, 200) }];
}

function findField(what: string, { query, body, headers }: FastifyRequest): Omit<ProblemError, "message"> | undefined {
  const name = what.replaceAll(" ", "_");
  const fields = [`${name}_id`, name, name.replace(/^event_/, "")];
  for (const [part, values] of Object.entries({ query, body })) {
    const found = fields.find((field) => typeof (values as Values | undefined)?.[field] === "string");
    if (found) return { location: `${part}.${found}`, value: (values as Values)[found] };
  }
  const inHeader = what === "project" ? headers["x-project-id"] : undefined;
  return inHeader === undefined ? undefined : { location: "header.X-Project-Id", value: inHeader };
}

/** `workflowRunID` → `workflow run` */
function wordsOf(param: string): string {
  return param
    .replace(/(ID|Ref)$/, "")
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^env$/, "environment");
}

/** The parameter `drainID` matches a log drain, and `fromVersionID` a version. */
function isCalled(what: string, words: string): boolean {
  return ` ${what.toLowerCase()}`.endsWith(` ${words}`) || ` ${words}`.endsWith(` ${what.toLowerCase()}`);
}
