import { nameEndpoint } from "./name-endpoints.ts";
import type { OpenApiDocument, Operation } from "./openapi-document.ts";

/** How an endpoint is called and what it returns. */
type Kind = "plain" | "body" | "list" | "stream";

export type Endpoint = {
  method: string;
  path: string;
  kind: Kind;
  noun: string;
  verb: string;
  operation: Operation;
};

/** Every endpoint of the API, without pages and files for browsers. */
export function readEndpoints(document: OpenApiDocument): Endpoint[] {
  const asked = Object.entries(document.paths)
    .filter(([path]) => isApi(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
  const lists = new Set(asked.filter(({ operation }) => isList(document, operation)).map(({ path }) => path));
  const made = new Set(asked.filter((each) => isRead(asked, each.path)).map(({ path }) => path));
  const endpoints = asked.map(({ method, path, operation }) => {
    const [noun, verb] = nameEndpoint(method, path, { isList: lists.has(path), isCreated: made.has(path) });
    return { method, path, operation, noun, verb, kind: kindOf(document, operation) };
  });
  refuseTwins(endpoints);
  return endpoints;
}

export function isApi(path: string): boolean {
  // A browser is sent there and back: they redirect, and return pages.
  if (path.startsWith("/v1/sign-in/{")) return false;
  return /^\/(sdk\/)?v1\//.test(path) || OTHERS.has(path);
}

const OTHERS = new Set(["/health", "/health/ready", "/metrics", "/openapi.json", "/schemas/{name}"]);

function isRead(asked: { method: string; path: string }[], path: string): boolean {
  return asked.some((each) => each.path === path && each.method === "GET");
}

function kindOf(document: OpenApiDocument, operation: Operation): Kind {
  if (successResponses(operation).some(({ type }) => type === "text/event-stream")) return "stream";
  if (operation.requestBody) return "body";
  return isList(document, operation) ? "list" : "plain";
}

function isList(document: OpenApiDocument, operation: Operation): boolean {
  const name = successResponses(operation)[0]?.schema?.$ref?.split("/").at(-1) ?? "";
  const fields = document.components.schemas[name]?.properties ?? {};
  return "data" in fields && "next_cursor" in fields && !operation.requestBody;
}

/** The 2xx responses of an operation. If there are several media types, the client requests the first. */
export function successResponses({ responses }: Operation) {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([status, { content = {} }]) =>
      Object.entries(content)
        .slice(0, 1)
        .map(([type, { schema }]) => ({ status, type, schema })),
    );
}

function refuseTwins(endpoints: Endpoint[]): void {
  const seen = new Map<string, string>();
  for (const { method, path, noun, verb } of endpoints) {
    const name = `${noun}.${verb}`;
    const other = seen.get(name);
    if (other)
      throw new Error(`${method} ${path} and ${other} are both ${name}: add another name in name-endpoints.ts`);
    seen.set(name, `${method} ${path}`);
  }
}
