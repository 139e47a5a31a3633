import { ERROR_CODES, type ErrorCode, statusOf } from "@millrace/contract/error-codes/all-codes";
import { Problem } from "@millrace/contract/schema/problem";
import { refTo } from "@millrace/contract/schema/schema";
import { changesShown } from "../../src/api/build-api.ts";
import { querySchema } from "../../src/api/route-schema.ts";
import type { Route } from "../../src/platform/route.ts";
import { printSchema } from "./json-schema.ts";

/**
 * Every error code the route may return: those that follow from its declaration, and those its handler returns itself.
 */
export function codesOf(route: Route): ErrorCode[] {
  const { path, auth, body, signed, errors = [] } = route;
  const parameters = Object.keys(querySchema(route).properties);
  const isFound = path.includes("{") || auth.kind === "project" || body !== undefined;
  const codes: ErrorCode[] = [
    ...EVERYWHERE,
    ...ofCaller(route),
    ...(isFound ? (["not_found"] as const) : []),
    ...(parameters.includes("cursor") ? (["invalid_cursor"] as const) : []),
    ...(route.method === "GET" && parameters.length === 0 ? [] : (["validation_failed"] as const)),
    ...(route.method === "GET" ? [] : OF_BODIES),
    ...(changesShown(route.method) ? (["read_only_field"] as const) : []),
    ...(path.startsWith("/v1/") ? (["rate_limited"] as const) : []),
    ...(signed ? (["bad_request"] as const) : []),
    ...errors,
  ];
  return Object.keys(ERROR_CODES).filter((code) => codes.includes(code as ErrorCode)) as ErrorCode[];
}

const EVERYWHERE: readonly ErrorCode[] = [
  "bad_request",
  "invalid_text",
  "uri_too_long",
  "headers_too_large",
  "internal_error",
  "service_unavailable",
];

const OF_BODIES: readonly ErrorCode[] = [
  "payload_too_large",
  "unsupported_media_type",
  "number_out_of_range",
  "payload_too_complex",
];

function ofCaller({ auth, method }: Route): readonly ErrorCode[] {
  const ofOtherSites: readonly ErrorCode[] = method === "GET" ? [] : ["cross_site_request"];
  switch (auth.kind) {
    case "none":
      return [];
    case "operator":
      return ["unauthorized", ...ofOtherSites];
    case "run":
      return ["unauthorized", "run_token_expired", "forbidden"];
    case "internal":
      return [...OF_CREDENTIALS, "forbidden", ...ofOtherSites];
    case "caller":
      return [...OF_CREDENTIALS, "forbidden", "scope_missing", "policy_denied", ...ofOtherSites];
    case "project":
      return [...OF_CREDENTIALS, ...OF_PROJECTS, ...ofOtherSites];
  }
}

const OF_CREDENTIALS: readonly ErrorCode[] = ["unauthorized", "key_expired", "key_revoked", "session_expired"];
const OF_PROJECTS: readonly ErrorCode[] = [
  "forbidden",
  "scope_missing",
  "policy_denied",
  "project_mismatch",
  "project_required",
  "validation_failed",
];

/** One response per status, which lists the codes of this route. */
export function refusalsOf(route: Route): Record<string, object> {
  const codes = codesOf(route);
  const statusFor = (code: ErrorCode) => statusOf(code, route.auth.kind === "run");
  const statuses = [...new Set(codes.map(statusFor))].toSorted((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => statusFor(code) === status);
      const name = isScim(route) ? "ScimError" : status === 429 || status === 503 ? "TryLater" : "Problem";
      return [
        status,
        { $ref: `#/components/responses/${name}`, description: own.map((code) => `\`${code}\``).join(", ") },
      ];
    }),
  );
}

const isScim = ({ path }: Route) => path.startsWith("/scim/");
const SCIM_ERROR = {
  type: "object",
  required: ["schemas", "status", "detail"],
  properties: {
    schemas: { type: "array", items: { type: "string" } },
    status: { type: "string" },
    scimType: { type: "string" },
    detail: { type: "string" },
  },
};

const content = { "application/problem+json": { schema: printSchema(refTo(Problem)) } };

export const SHARED_RESPONSES = {
  Problem: { description: "The error. `code` is stable; `detail` is for people.", content },
  ScimError: {
    description: "The error of RFC 7644, 3.12, with the members of a problem; `status` is text.",
    content: { "application/scim+json": { schema: SCIM_ERROR } },
  },
  TryLater: {
    description: "The request was not executed and may be repeated.",
    headers: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } },
    content,
  },
};
