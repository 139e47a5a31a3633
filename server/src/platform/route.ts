import type { Readable } from "node:stream";
import type { ErrorCode } from "@millrace/contract/error-codes";
import type { ProblemError } from "@millrace/contract/problem";
import type { Scope } from "@millrace/contract/scopes";
import type { Static, TSchema } from "typebox";
import type { Config } from "./config.ts";
import type { CallerCtx, Ctx, ProjectCtx, RequestOrigin, RunCtx } from "./context.ts";
import type { StreamSource } from "./streams/event-stream.ts";

/** A route is a row: everything a caller must know stands in one literal, and the body is one call. */
export type RouteRow = {
  method: Method;
  path: string;
  summary: string;
  auth: RouteAuth;
  /** A limit per address beside the general one. */
  limit?: "trigger" | "bulk_trigger" | "sign_in";
  /**
   * May answer a stream of server-sent events in place of an object (`streams/feed.ts` says how), or any text as a
   * Readable. Accepts `?token=` in place of the Authorization header, for browsers that cannot set one.
   */
  streams?: boolean;
  /** The verb is handed the bytes of the body and the headers: they carry a signature. */
  signed?: boolean;
  /** The header `Idempotency-Key` makes a repeated request answer what the first one did. */
  takesIdempotencyKey?: boolean;
  query?: TSchema;
  body?: TSchema;
  /**
   * Judges what is left of a body when all that its schema refuses is taken out, so that one issue does not hide another.
   */
  semanticValidation?: (left: never, beside: SemanticValidation) => ProblemError[] | Promise<ProblemError[]>;
  answer?: TSchema;
  /** What is answered with another status than `status`: every status that `run` may set stands here. */
  otherAnswers?: OtherAnswers;
  /** Content type of an answer that the verb gives as text or bytes. */
  produces?: string;
  /** What is in an answer of `produces` that is JSON. It only documents: the text is sent as it is. */
  producesSchema?: TSchema;
  /** Content types in which it is also given: an `answer` by `Accept`, text of `produces` by a parameter. */
  otherForms?: readonly string[];
  /** Error codes of the verb itself, beside those that every route with such a declaration answers. */
  refuses?: readonly ErrorCode[];
  status: number;
  run: (ctx: never, input: never, reply: RouteReply) => Promise<unknown>;
};

export type SemanticValidation = {
  /** The places of what was taken out. */
  refused: ReadonlySet<string>;
  config: Config;
  params: Readonly<Record<string, string>>;
  /** Where names are looked up. Undefined: which project it is cannot be told, or the caller may not do this there. */
  project: ProjectCtx | undefined;
};

export type RouteAuth =
  /** Anybody. */
  | { kind: "none" }
  /** The internal secret, or in development anybody on this machine. */
  | { kind: "operator" }
  /** The internal secret. */
  | { kind: "internal" }
  /** Any caller; no project is needed. */
  | { kind: "caller"; scope: Scope | undefined }
  /** A caller acting in one project. `found_by`: the table whose id in the path tells the project by itself. */
  | { kind: "project"; scope: Scope | undefined; found_by: { table: string; param: string } | undefined }
  /** The run that `{runID}` names, by its token, and nobody else. */
  | { kind: "run" };

type OtherAnswers = Readonly<Record<number, TSchema>>;
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type RouteReply = {
  header: (name: string, value: string) => void;
  status: (code: number) => void;
};

/** A request as it came, for a row that is `signed`. */
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
  /** The header `Idempotency-Key`, for a row that `takesIdempotencyKey`. */
  idempotencyKey: string | undefined;
  /** The header `Last-Event-ID`: where a stream is to go on. */
  lastEventId: string | undefined;
  /** The header `Accept`, for a row that answers in more than one form (`preferred-media.ts`). */
  accept: string | undefined;
  /** Given to rows that are `signed`. */
  signed: SignedRequest | undefined;
};

type Row<
  C,
  P extends string,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
  A extends TSchema | undefined,
  O extends OtherAnswers | undefined = undefined,
> = {
  method: Method;
  path: P;
  summary: string;
  limit?: "trigger" | "bulk_trigger" | "sign_in";
  query?: Q;
  body?: B;
  semanticValidation?: (
    left: Partial<ValueOf<B>>,
    beside: SemanticValidation,
  ) => ProblemError[] | Promise<ProblemError[]>;
  answer?: A;
  otherAnswers?: O;
  produces?: string;
  producesSchema?: TSchema;
  otherForms?: readonly string[];
  refuses?: readonly ErrorCode[];
  signed?: boolean;
  takesIdempotencyKey?: boolean;
  status?: number;
} & (
  | { streams?: false; run: Run<C, Input<P, Q, B>, AnswerOf<A> | OtherAnswerOf<O>> }
  | { streams: true; run: Run<C, Input<P, Q, B>, AnswerOf<A> | OtherAnswerOf<O> | StreamSource | Readable> }
);

type Run<C, I, R> = (ctx: C, input: I, reply: RouteReply) => Promise<R>;

/** What the service adds itself need not be returned by a verb. */
type AnswerOf<A> = A extends TSchema ? Omit<Static<A>, "$schema"> : string | Buffer | undefined;
type OtherAnswerOf<O> =
  O extends Readonly<Record<number, infer S extends TSchema>> ? Omit<Static<S>, "$schema"> : never;

type Optional = TSchema | undefined;

export function publicRoute<
  P extends string,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
  O extends OtherAnswers | undefined = undefined,
>(row: Row<Ctx & { origin: RequestOrigin }, P, Q, B, A, O>): RouteRow {
  return asRow(row, { kind: "none" });
}

export function operatorRoute<
  P extends string,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
>(row: Row<Ctx, P, Q, B, A>): RouteRow {
  return asRow(row, { kind: "operator" });
}

export function internalRoute<
  P extends string,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
>(row: Row<CallerCtx, P, Q, B, A>): RouteRow {
  return asRow(row, { kind: "internal" });
}

export function callerRoute<
  P extends string,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
>(row: Row<CallerCtx, P, Q, B, A> & { scope?: Scope }): RouteRow {
  return asRow(row, { kind: "caller", scope: row.scope });
}

export function projectRoute<
  P extends string,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
  O extends OtherAnswers | undefined = undefined,
>(
  row: Row<ProjectCtx, P, Q, B, A, O> & {
    /** Undefined: which it needs depends on what is asked, and its verb says so. */
    scope: Scope | undefined;
    foundBy?: { table: string; param: keyof PathParams<P> & string };
  },
): RouteRow {
  return asRow(row, { kind: "project", scope: row.scope, found_by: row.foundBy });
}

export function runRoute<
  P extends `/sdk/v1/runs/{runID}${string}`,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  A extends Optional = undefined,
  O extends OtherAnswers | undefined = undefined,
>(row: Row<RunCtx, P, Q, B, A, O>): RouteRow {
  return asRow(row, { kind: "run" });
}

/** The typed row is erased here, once: the edge hands `run` exactly what its row declares. */
function asRow(row: object, auth: RouteAuth): RouteRow {
  const {
    scope: _,
    foundBy: __,
    status,
    ...declared
  } = row as Omit<RouteRow, "auth" | "status"> & {
    scope?: Scope;
    foundBy?: object;
    status?: number;
  };
  const { answer, produces } = declared;
  return { ...declared, auth, status: status ?? (answer || produces ? 200 : 204) };
}
