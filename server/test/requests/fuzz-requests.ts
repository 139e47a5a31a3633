import fc, { type Arbitrary } from "fast-check";
import type { Route } from "../../src/platform/route.ts";
import { anyText } from "../seed/any-text.ts";
import { type JsonSchema, resolve, sampleOf, typeOf } from "./sample-body.ts";

/** A request made by the fuzzer. `{own:jobID}` and `{other}` in its path, query and body are replaced when it is sent. */
export type FuzzRequest = {
  route: Route;
  method: string;
  path: string;
  query: string;
  headers: Record<string, string>;
  body: string | undefined;
  who: (typeof CALLERS)[number] | "nobody";
  isValid: boolean;
};

/** `token`: a scoped one. */
const CALLERS = ["internal", "key", "session", "token"] as const;

/** Four in ten are valid for the route; the others are valid ones with something corrupted. */
export function fuzzRequests(routes: readonly Route[]): Arbitrary<FuzzRequest> {
  return fc
    .constantFrom(...routes)
    .chain((route) =>
      fc.oneof({ weight: 4, arbitrary: validRequest(route) }, { weight: 6, arbitrary: spoiltRequest(route) }),
    );
}

const made = new Map<Route, Arbitrary<FuzzRequest>>();

/** Cached per route: building it takes longer than a request. */
function validRequest(route: Route): Arbitrary<FuzzRequest> {
  const known = made.get(route) ?? makeValidRequest(route);
  made.set(route, known);
  return known;
}

function makeValidRequest(route: Route): Arbitrary<FuzzRequest> {
  return fc.record({
    route: fc.constant(route),
    method: fc.constant(route.method),
    path: fc.constantFrom("{own:$1}", "{other}").map((id) => route.path.replaceAll(/\{(\w+)\}/g, id)),
    query: route.query ? queryOf(route.query as unknown as JsonSchema) : fc.constant(""),
    headers: fc.constant(route.body ? { "content-type": "application/json" } : ({} as Record<string, string>)),
    body: route.body
      ? validValue(route.body as unknown as JsonSchema).map((value) => JSON.stringify(value))
      : fc.constant(undefined),
    who: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("internal" as const, "key" as const) },
      { weight: 1, arbitrary: fc.constantFrom(...CALLERS) },
    ),
    isValid: fc.constant(true),
  });
}

type Spoil = (request: FuzzRequest) => Arbitrary<Partial<FuzzRequest>>;

function spoiltRequest(route: Route): Arbitrary<FuzzRequest> {
  const spoils = fc.uniqueArray(fc.constantFrom(...SPOILS), { minLength: 1, maxLength: 3 });
  return fc
    .tuple(validRequest(route), spoils)
    .chain(([valid, chosen]) =>
      chosen.reduce<Arbitrary<FuzzRequest>>(
        (made, spoil) => made.chain((request) => spoil(request).map((change) => ({ ...request, ...change }))),
        fc.constant({ ...valid, isValid: false }),
      ),
    );
}

const UUID = "0190a5b4-0000-7000-8000-000000000000";
const oddText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "\ud800",
    "\u202e",
    "\u{1f600}",
    "'; drop table runs; --",
    "%",
    "%00",
    "../..",
    "null",
    "NaN",
  ),
  fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "$ref", "{{x}}", "x".repeat(5_000)),
  fc.constantFrom(UUID, UUID.toUpperCase(), `urn:uuid:${UUID}`, `{${UUID}}`, UUID.replaceAll("-", ""), "0".repeat(63)),
  anyText({ maxLength: 20 }),
  fc.string({ maxLength: 20 }),
);
const oddValue: Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, 9_007_199_254_740_991, 2_147_483_648, [], {}, [[]], [null]),
  fc.anything({ withNullPrototype: false, maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value) ?? "null")),
);
/** Literals that JSON.stringify never writes. */
const oddLiteral = fc.constantFrom(
  "1e400",
  "123456789012345678901234567890",
  "-0",
  "0.1e-400",
  "NaN",
  "{",
  '"\\ud800"',
  '"\\u0000"',
  "\u0000",
  "[".repeat(3_000),
);

const SPOILS: Spoil[] = [
  ({ route, body }) => fc.tuple(oddValue, fc.nat()).map(([odd, at]) => ({ body: withOddField(route, body, odd, at) })),
  ({ body }) => fc.tuple(oddLiteral, fc.nat()).map(([odd, at]) => ({ body: withOddText(body, odd, at) })),
  ({ body }) => fc.tuple(oddText, oddValue).map(([name, odd]) => ({ body: withExtraField(body, name, odd) })),
  ({ body }) => fc.nat().map((at) => ({ body: body?.slice(0, at % (body.length + 1)) })),
  () => oddValue.map((odd) => ({ body: JSON.stringify(odd), headers: { "content-type": "application/json" } })),
  ({ route }) =>
    oddText.map((odd) => ({ path: route.path.replaceAll(/\{\w+\}/g, encodeURIComponent(odd.toWellFormed())) })),
  ({ path }) =>
    fc
      .constantFrom("/", "/x", "//", "/..", "/%2e%2e", ";a=b", "%", "%ff", "%00", "x".repeat(7_000))
      .map((end) => ({ path: `${path}${end}` })),
  ({ query }) =>
    fc.tuple(oddText, oddText).map(([name, odd]) => ({ query: `${query || "?"}&${textOf(name)}=${textOf(odd)}` })),
  ({ query }) =>
    fc
      .tuple(fc.constantFrom("limit", "cursor", "order", "project_id", "status", "token"), oddText)
      .map(([name, odd]) => ({ query: `${query || "?"}&${name}=${textOf(odd)}` })),
  () =>
    fc
      .constantFrom("?", "?&&&", "?=", "?%", "?limit=1&limit=2", "?a[b]=c", `?${"a=b&".repeat(2_000)}`)
      .map((query) => ({ query })),
  () =>
    fc
      .constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND")
      .map((method) => ({ method })),
  ({ headers }) => fc.constantFrom(...ODD_HEADERS).map((odd) => ({ headers: { ...headers, ...odd } })),
  () => fc.constant({ who: "nobody" as const }),
];

const ODD_HEADERS: Record<string, string>[] = [
  { "content-type": "text/plain" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-type": "multipart/form-data; boundary=x" },
  { "content-type": "" },
  { "content-encoding": "gzip" },
  { "content-encoding": "br" },
  { authorization: "Bearer" },
  { authorization: "Bearer a.b.c" },
  { authorization: `Bearer ${"x".repeat(8_000)}` },
  { authorization: "Basic OjpCOg==" },
  { "x-internal-secret": "\u00ff" },
  { "x-project-id": "" },
  { "x-project-id": `urn:uuid:${UUID}` },
  { "x-project-id": "x".repeat(5_000) },
  { "x-project-id": "\u00ff'" },
  { "x-request-id": "\u00ff" },
  { cookie: "millrace_session=%00; =; ;;" },
  { cookie: `millrace_session=${"x".repeat(8_000)}` },
  { host: "evil.example/\u00ff" },
  { origin: "null", cookie: "millrace_session=x" },
  { "x-forwarded-for": "junk, , 1.2.3.4:5" },
  { "if-none-match": "*", range: "bytes=0-1", accept: "text/event-stream" },
  { "user-agent": "\u00ff".repeat(4_000) },
  { "accept-version": "9.9.9", "x-http-method-override": "DELETE" },
  { "idempotency-key": "again" },
  { "idempotency-key": "x".repeat(5_000) },
  { "idempotency-key": "\u00ff\t'" },
  { traceparent: "00-ffffffffffffffffffffffffffffffff-0000000000000000-zz", "last-event-id": "\u00ff" },
  { expect: "100-continue" },
];

function textOf(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("%25", "%");
}

/** Any field that the route declares, present or not. */
function withOddField(route: Route, body: string | undefined, odd: unknown, at: number): string {
  const names = Object.keys((route.body as JsonSchema | undefined)?.properties ?? {});
  const name = names[at % (names.length || 1)] ?? "name";
  return JSON.stringify({ ...fieldsOf(body), [name]: odd });
}

/** An earlier corruption may have replaced the object with something else. */
function fieldsOf(body: string | undefined): Record<string, unknown> {
  try {
    return { ...(JSON.parse(body ?? "{}") as object) };
  } catch {
    return {};
  }
}

function withOddText(body: string | undefined, odd: string, at: number): string {
  const text = body ?? "{}";
  const place = at % (text.length + 1);
  return `${text.slice(0, place)}${odd}${text.slice(place)}`;
}

function withExtraField(body: string | undefined, name: string, odd: unknown): string {
  const extra = `${JSON.stringify(name)}:${JSON.stringify(odd)}`;
  return (body ?? "{}").replace(/^\{/, (brace) =>
    body === undefined || body === "{}" ? `${brace}${extra}` : `${brace}${extra},`,
  );
}

function queryOf(schema: JsonSchema): Arbitrary<string> {
  const { cursor: _, ...properties } = schema.properties ?? {};
  return fc.record(fieldsOfSchema(properties), { requiredKeys: [] }).map((given) => {
    const pairs = Object.entries(given).map(
      ([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`,
    );
    return pairs.length > 0 ? `?${pairs.join("&")}` : "";
  });
}

/** Any value that the schema accepts, as far as a generator can derive it. */
function validValue(given: JsonSchema): Arbitrary<unknown> {
  const schema = resolve(given);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (typeOf(schema)) {
    case "object":
      return validObject(schema);
    case "array":
      return fc.uniqueArray(validValue(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 4 });
    case "string":
      return validText(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000, 2_147_483_647) });
    case "boolean":
      return fc.boolean();
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function validObject({ properties = {}, required = [], patternProperties }: JsonSchema): Arbitrary<unknown> {
  const [ofRecord] = Object.values(patternProperties ?? {});
  if (ofRecord) return fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), validValue(ofRecord), { maxKeys: 4 });
  return fc.record(fieldsOfSchema(properties), { requiredKeys: required });
}

/** `job_id` is most often that of a job that exists. */
function fieldsOfSchema(properties: Record<string, JsonSchema>): Record<string, Arbitrary<unknown>> {
  const fields = Object.entries(properties).map(([name, schema]): [string, Arbitrary<unknown>] => {
    const known = OWN[name];
    const value = validValue(schema);
    const own = { weight: 3, arbitrary: fc.constant(`{own:${known}}`) };
    return [name, known === undefined ? value : fc.oneof(own, { weight: 1, arbitrary: value })];
  });
  return Object.fromEntries(fields);
}

/** Fields that name an object, and the parameter of paths that does. */
const OWN: Record<string, string> = {
  job_id: "jobID",
  run_id: "runID",
  version_id: "versionID",
  workflow_id: "workflowID",
  workflow_run_id: "workflowRunID",
  environment_id: "envID",
  schedule_id: "scheduleID",
  event_key: "eventKey",
  step_ref: "stepRef",
};

function validText(schema: JsonSchema): Arbitrary<string> {
  const sample = fc.nat().map(() => String(sampleOf(schema)));
  if (schema.format || schema.pattern?.startsWith("^")) return sample;
  const minLength = schema.minLength ?? 0;
  const free = fc.string({
    unit: "grapheme",
    minLength,
    maxLength: Math.min(schema.maxLength ?? Number.POSITIVE_INFINITY, Math.max(50, minLength)),
  });
  return fc.oneof(
    sample,
    free.filter((text) => /\S/.test(text) && [...text].length <= (schema.maxLength ?? Number.POSITIVE_INFINITY)),
  );
}
