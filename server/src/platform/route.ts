import type { Readable } from "node:stream";
import type { Scope } from "@millrace/contract/access/scopes";
import type { ErrorCode } from "@millrace/contract/error-codes/all-codes";
import type { ProblemError } from "@millrace/contract/schema/problem";
import type { Static, TSchema } from "typebox";
import type { CallerCtx, Ctx, ProjectCtx, RequestOrigin, RunCtx } from "./context.ts";
import type { Config } from "./settings/config.ts";
import type { StreamSource } from "./streams/event-stream.ts";

/** A route is one literal with everything a caller needs; its handler is one call. */
export type Route = {
  method: Method;
  path: string;
  summary: string;
  auth: RouteAuth;
  /** A limit per address in addition to the general one. */
  limit?: "trigger" | "bulk_trigger" | "sign_in";
  /**
   * May return a stream of server-sent events instead of an object (see `streams/feed.ts`), or any text as a Readable.
   * Accepts `?token=` instead of the Authorization header, for browsers that cannot set one.
   */
  streams?: boolean;
  /** The handler receives the raw body and the headers, to verify a signature. */
  signed?: boolean;
  /**
   * For a public route with a credential of its own: throws unless the request has it. Runs before the body is read,
   * and failures are throttled like those of other credentials.
   */
  authenticate?: (ctx: Ctx, params: Readonly<Record<string, string>>, headers: SignedRequest["headers"]) => void;
  /**
   * Called so often that plain requests skip the HTTP framework (`api/fast-path`). Its body is required, with a schema.
   */
  isHot?: true;
  /**
   * True: a request is refused with 503 before it is read, since the work in front of it already takes long. Asked before
   * the caller is known, then with the project of its key.
   */
  isOverloaded?: (ctx: Ctx, project_id?: string) => boolean;
  /** With the header `Idempotency-Key` a repeated request returns the first response. */
  takesIdempotencyKey?: boolean;
  query?: TSchema;
  body?: TSchema;
  /**
   * Validates the rest of a body after removing all that its schema rejects, so that one issue does not hide another.
   */
  semanticValidation?: (body: never, context: SemanticValidation) => ProblemError[] | Promise<ProblemError[]>;
  response?: TSchema;
  /** Responses with another status than `status`: every status that `run` may set is listed here. */
  otherResponses?: OtherResponses;
  /** Content type of a response that the handler returns as text or bytes. */
  produces?: string;
  /** Schema of a `produces` response that is JSON. Documentation only: the text is sent as is. */
  producesSchema?: TSchema;
  /** Further content types: of a `response` chosen by `Accept`, of `produces` text chosen by a parameter. */
  otherForms?: readonly string[];
  /** Error codes of the handler itself, in addition to those implied by the route's declaration. */
  errors?: readonly ErrorCode[];
  status: number;
  run: (ctx: never, input: never, reply: ClosableReply) => Promise<unknown>;
};

export type SemanticValidation = {
  /** The paths that were removed. */
  refused: ReadonlySet<string>;
  config: Config;
  params: Readonly<Record<string, string>>;
  /** For resolving names. Undefined: the project cannot be determined, or the caller may not do this there. */
  project: ProjectCtx | undefined;
};

export type RouteAuth =
  /** Anyone. */
  | { kind: "none" }
  /** The internal secret, or in development anyone on this machine. */
  | { kind: "operator" }
  /** The internal secret. */
  | { kind: "internal" }
  /** Any caller; no project is needed. */
  | { kind: "caller"; scope: Scope | undefined }
  /** A caller acting in one project. `found_by`: the table in which the id from the path determines the project. */
  | { kind: "project"; scope: Scope | undefined; found_by: { table: string; param: string } | undefined }
  /** Only the run that `{runID}` names, with its token. */
  | { kind: "run" };

type OtherResponses = Readonly<Record<number, TSchema>>;
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type RouteReply = {
  header: (name: string, value: string) => void;
  status: (code: number) => void;
};

/** Of a handler that may wait for long. */
export type ClosableReply = RouteReply & {
  /** Calls back when the caller has disconnected, or the response was sent. */
  onClose: (fn: () => void) => void;
  /** Whether the caller's credential still holds. */
  isAuthorized: () => Promise<boolean>;
};

/** The raw request, for a route that is `signed`. */
export type SignedRequest = { body: Buffer; headers: Readonly<Record<string, string | string[] | undefined>> };

/** `/v1/runs/{runID}` → `{ runID: string }` */
export type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & PathParams<Rest>
  : unknown;

type ValueOf<T> = T extends TSchema ? Static<T> : undefined;
type Input<P extends string, Q, B> = {
  params: PathParams<P>;
  query: ValueOf<Q>;
  body: ValueOf<B>;
  /** The header `Idempotency-Key`, for a route that `takesIdempotencyKey`. */
  idempotencyKey: string | undefined;
  /** The header `Last-Event-ID`: where a stream resumes. */
  lastEventId: string | undefined;
  /** The header `Accept`, for a route with more than one content type (`preferred-media.ts`). */
  accept: string | undefined;
  /** The header `Cookie`, for a browser that returns from an identity provider. */
  cookie: string | undefined;
  /** Set for routes that are `signed`. */
  signed: SignedRequest | undefined;
};

type Declaration<
  C,
  P extends string,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
  A extends TSchema | undefined,
  O extends OtherResponses | undefined = undefined,
> = {
  summary: string;
  limit?: "trigger" | "bulk_trigger" | "sign_in";
  query?: Q;
  body?: B;
  semanticValidation?: (
    left: Partial<ValueOf<B>>,
    semantic: SemanticValidation,
  ) => ProblemError[] | Promise<ProblemError[]>;
  response?: A;
  otherResponses?: O;
  produces?: string;
  producesSchema?: TSchema;
  otherForms?: readonly string[];
  errors?: readonly ErrorCode[];
  signed?: boolean;
  authenticate?: Route["authenticate"];
  isHot?: true;
  isOverloaded?: Route["isOverloaded"];
  takesIdempotencyKey?: boolean;
  status?: number;
} & (
  | { streams?: false; run: Run<C, Input<P, Q, B>, ResponseOf<A> | OtherResponseOf<O>> }
  | { streams: true; run: Run<C, Input<P, Q, B>, ResponseOf<A> | OtherResponseOf<O> | StreamSource | Readable> }
);

type Run<C, I, R> = (ctx: C, input: I, reply: ClosableReply) => Promise<R>;

/** A handler need not return the fields that the service adds. */
type ResponseOf<A> = A extends TSchema ? Omit<Static<A>, "$schema"> : string | Buffer | undefined;
type OtherResponseOf<O> =
  O extends Readonly<Record<number, infer S extends TSchema>> ? Omit<Static<S>, "$schema"> : never;

type Optional = TSchema | undefined;

export function publicRoute<
  P extends string,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
  O extends OtherResponses | undefined = undefined,
>(address: `${Method} ${P}`, declaration: Declaration<Ctx & { origin: RequestOrigin }, P, Q, B, A, O>): Route {
  return asRoute(address, declaration, { kind: "none" });
}

export function operatorRoute<
  P extends string,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
>(address: `${Method} ${P}`, declaration: Declaration<Ctx, P, Q, B, A>): Route {
  return asRoute(address, declaration, { kind: "operator" });
}

export function internalRoute<
  P extends string,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
>(address: `${Method} ${P}`, declaration: Declaration<CallerCtx, P, Q, B, A>): Route {
  return asRoute(address, declaration, { kind: "internal" });
}

export function callerRoute<
  P extends string,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
>(address: `${Method} ${P}`, declaration: Declaration<CallerCtx, P, Q, B, A> & { scope?: Scope }): Route {
  return asRoute(address, declaration, { kind: "caller", scope: declaration.scope });
}

export function projectRoute<
  P extends string,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
  O extends OtherResponses | undefined = undefined,
>(
  address: `${Method} ${P}`,
  declaration: Declaration<ProjectCtx, P, Q, B, A, O> & {
    /** Undefined: the scope depends on the request, and the handler checks it. */
    scope: Scope | undefined;
    foundBy?: { table: string; param: keyof PathParams<P> & string };
  },
): Route {
  return asRoute(address, declaration, { kind: "project", scope: declaration.scope, found_by: declaration.foundBy });
}

export function runRoute<
  P extends `/sdk/v1/runs/{runID}${string}`,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
  O extends OtherResponses | undefined = undefined,
>(address: `${Method} ${P}`, declaration: Declaration<RunCtx, P, Q, B, A, O>): Route {
  return asRoute(address, declaration, { kind: "run" });
}

/** The route's types are erased here, once: the API layer passes `run` exactly what the route declares. */
function asRoute(address: string, declaration: object, auth: RouteAuth): Route {
  const [method, path = ""] = address.split(" ");
  const { scope: _, foundBy: __, status, ...declared } = declaration as ErasedDeclaration;
  const { response, produces } = declared;
  return { ...declared, method: method as Method, path, auth, status: status ?? (response || produces ? 200 : 204) };
}

type ErasedDeclaration = Omit<Route, "method" | "path" | "auth" | "status"> & {
  scope?: Scope;
  foundBy?: object;
  status?: number;
};
