import { ENDPOINTS, type Endpoints } from "../generated/endpoints.ts";
import type { ClientCore } from "./create-core.ts";
import type { Page } from "./http/paginate.ts";
import type { StreamEvent } from "./http/parse-events.ts";
import type { Method, QueryValue, RequestOptions } from "./http/send.ts";
import { type Listing, listing } from "./listing.ts";

/**
 * Method and path of an endpoint, for `client.call`.
 *
 * @example
 * const operation: Operation = "POST /v1/jobs";
 */
export type Operation = keyof Endpoints;
type Kind = "plain" | "body" | "list" | "stream";
type Entry = readonly [Method, string, Kind];

/**
 * Options of every method `client.<noun>.<verb>`, as its last argument.
 *
 * @example
 * const options: CallOptions = { signal: new AbortController().signal, retries: 0 };
 * const run = await client.runs.get("0198c7a2-…", {}, options);
 */
export type CallOptions = Pick<RequestOptions, "headers" | "signal" | "idempotencyKey" | "timeoutMs" | "retries">;

type OperationOf<E> = E extends readonly [infer M extends string, infer P extends string, Kind]
  ? `${M} ${P}` & Operation
  : never;
type PathIds<P extends string> = P extends `${string}{${string}}${infer Rest}` ? [id: string, ...PathIds<Rest>] : [];
type IdsOf<E> = E extends readonly [string, infer P extends string, Kind] ? PathIds<P> : never;
/** Required if one of its fields is. */
type Input<T, Name extends string> =
  Record<never, never> extends T
    ? Name extends "query"
      ? [query?: T | undefined, options?: CallOptions]
      : [body?: T | undefined, options?: CallOptions & { query?: RequestOptions["query"] }]
    : Name extends "query"
      ? [query: T, options?: CallOptions]
      : [body: T, options?: CallOptions & { query?: RequestOptions["query"] }];

type VerbOf<E, O extends Operation> = E extends readonly [string, string, "list"]
  ? (...args: [...IdsOf<E>, ...Input<Endpoints[O]["query"], "query">]) => Listing<ItemOf<O>>
  : E extends readonly [string, string, "stream"]
    ? (
        ...args: [...IdsOf<E>, ...Input<Endpoints[O]["query"], "query">]
      ) => AsyncGenerator<StreamEvent<Record<string, unknown>>, void, undefined>
    : E extends readonly [string, string, "body"]
      ? (...args: [...IdsOf<E>, ...Input<Endpoints[O]["body"], "body">]) => Promise<Endpoints[O]["response"]>
      : (...args: [...IdsOf<E>, ...Input<Endpoints[O]["query"], "query">]) => Promise<Endpoints[O]["response"]>;
type ItemOf<O extends Operation> = Endpoints[O] extends { item: infer Item } ? Item : never;

type Table = typeof ENDPOINTS;
/** Every endpoint by noun and verb: `client.runs.logs(id)`. Arguments: ids, then the body or query, then options. */
export type Nouns = {
  [Noun in keyof Table]: { [Verb in keyof Table[Noun]]: VerbOf<Table[Noun][Verb], OperationOf<Table[Noun][Verb]>> };
};

export function nounsOf(core: ClientCore): Nouns {
  const nouns = Object.entries(ENDPOINTS).map(([noun, verbs]) => {
    const made = Object.entries(verbs).map(([verb, entry]) => [verb, verbOf(core, entry as unknown as Entry)]);
    return [noun, Object.fromEntries(made)];
  });
  return Object.fromEntries(nouns) as Nouns;
}

type Query = Record<string, QueryValue>;
type Options = CallOptions & { query?: Query };

function verbOf(core: ClientCore, [method, path, kind]: Entry) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  return (...args: unknown[]) => {
    const params = Object.fromEntries(names.map((name, at) => [name, args[at] as string]));
    const at = fillPath(path, params);
    const [input, options = {}] = args.slice(names.length) as [unknown, Options?];
    if (kind === "list") return listRows(core, at, (input ?? {}) as Query, options);
    if (kind === "stream") return core.stream(at, streamOptions(input as Query, options));
    if (kind === "body") return core.request(method, at, { ...options, body: input ?? {} });
    return core.request(method, at, { ...options, query: input as Query });
  };
}

function listRows(core: ClientCore, path: string, query: Query, options: Options): Listing<unknown> {
  return listing(
    () => core.paginate(path, query, options),
    (cursor) => core.request<Page<unknown>>("GET", path, { ...options, query: { ...query, cursor } }),
  );
}

function streamOptions({ last_event_id, ...query }: Query = {}, { signal, headers }: Options) {
  return { query, signal, headers, lastEventId: last_event_id === undefined ? undefined : String(last_event_id) };
}

/** `/v1/events/{eventKey}` and `a/b` → `/v1/events/a%2Fb`. */
export function fillPath(path: string, params: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === "") throw new TypeError(`${path} needs ${name}`);
    return encodeURIComponent(value);
  });
}
