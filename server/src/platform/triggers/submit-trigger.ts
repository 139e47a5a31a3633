import { boundEnvironment, readRequestedEnvironment } from "../access/environments.ts";
import { mayUse } from "../access/policies/visibility.ts";
import { actorOf, createdBy } from "../actor.ts";
import type { ProjectCtx } from "../context.ts";
import { ApiError, invalid, notFound } from "../errors/errors.ts";
import type { RouteReply } from "../route.ts";
import { parseInstant } from "../time/instant.ts";
import { isSliceOver, yieldToEventLoop } from "../time-slices.ts";
import { hashRequest } from "./idempotency-key.ts";

type Triggerable = {
  id: string;
  tags: Record<string, string>;
  environment_id: string | null;
  production_id: string;
};

type Trigger = { environment_id?: string | null | undefined };

/** What a trigger starts, a job or a workflow: the steps in which the two differ. `S` is the job or workflow as read. */
export type TriggerTarget<S extends Triggerable, T extends Trigger, R, Result extends { kind: string }> = {
  type: "job" | "workflow";
  findCached: (ctx: ProjectCtx, project_id: string, ref: string) => S | undefined | Promise<S | undefined>;
  findCurrent: (ctx: ProjectCtx, project_id: string, ref: string) => Promise<S | undefined>;
  /** Prepares the run; refused if its tags or environment would evade a policy that denies the caller read access. */
  prepare: (ctx: ProjectCtx, source: S, trigger: T) => R | Promise<R>;
  /** Creates the run, together with those of concurrent requests. */
  create: (ctx: ProjectCtx, run: R) => Promise<Result>;
  /** Throws for results other than a run, a conflict, and a job or workflow that has changed. */
  refuse: (ctx: ProjectCtx, result: Result) => void | Promise<void>;
};

const MAX_CHANGES = 20; // of the job or workflow between reading it and writing the run

/**
 * Prepares the run from the cached job or workflow. If that has changed or rejects the run, it is read again and the
 * run is prepared again, so nothing is decided on stale data.
 */
export async function submitTrigger<S extends Triggerable, T extends Trigger, R, Result extends { kind: string }>(
  ctx: ProjectCtx,
  target: TriggerTarget<S, T, R, Result>,
  ref: string,
  trigger: T,
): Promise<Extract<Result, { kind: "created" | "existing" }>> {
  const cached = target.findCached(ctx, ctx.project_id, ref);
  const known = cached instanceof Promise ? await cached : cached;
  if (isSliceOver()) await yieldToEventLoop();
  const isKnown = known && mayStart(ctx, target.type, known, trigger.environment_id ?? null);
  const prepared = isKnown ? prepareOrElse(ctx, target, known, trigger) : undefined;
  let run = prepared instanceof Promise ? await prepared : prepared;
  for (let tries = 0; tries < MAX_CHANGES; tries++) {
    if (!run) {
      const current = await findStartable(ctx, target, ref, trigger.environment_id);
      await yieldToEventLoop();
      run = await target.prepare(ctx, current, trigger);
    }
    if (isSliceOver()) await yieldToEventLoop();
    const result = await target.create(ctx, run);
    if (result.kind === "created" || result.kind === "existing") return result as never;
    if (result.kind === "conflict") throw idempotencyConflict();
    await target.refuse(ctx, result);
    run = undefined;
  }
  throw new ApiError("conflict", `The ${target.type} keeps changing. Try again.`);
}

/** The current job or workflow, if the caller may see it. */
export async function findStartable<S extends Triggerable>(
  ctx: ProjectCtx,
  { type, findCurrent }: Pick<TriggerTarget<S, never, never, never>, "type" | "findCurrent">,
  ref: string,
  environment_id?: string | null,
): Promise<S> {
  const found = await findCurrent(ctx, ctx.project_id, ref);
  if (!found || !mayStart(ctx, type, found, environment_id ?? null)) throw notFound(type);
  return found;
}

/** Checks the job or workflow both in its own environment and in that of the run. */
export function mayStart(ctx: ProjectCtx, type: string, source: Triggerable, requested: string | null): boolean {
  const { id, tags, environment_id } = source;
  const there = requested ?? boundEnvironment(ctx.caller) ?? environment_id ?? source.production_id;
  return (
    mayUse(ctx, { type, id, tags, environment_id }) &&
    (!ctx.access || mayUse(ctx, { type, id, tags, environment_id: there }))
  );
}

/** Undefined: the cached job or workflow rejected the run, but the cache may be out of date. */
function prepareOrElse<S extends Triggerable, T extends Trigger, R>(
  ctx: ProjectCtx,
  { prepare }: Pick<TriggerTarget<S, T, R, never>, "prepare">,
  source: S,
  trigger: T,
): R | undefined | Promise<R | undefined> {
  try {
    const prepared = prepare(ctx, source, trigger);
    return prepared instanceof Promise ? prepared.catch(unlessRefused) : prepared;
  } catch (error) {
    return unlessRefused(error);
  }
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
}

export function idempotencyConflict(): ApiError {
  return new ApiError("idempotency_conflict", "This idempotency key was used for a different trigger.");
}

type Requested = {
  scheduled_at?: string;
  delay_secs?: number;
  environment_id?: string;
  idempotency_key?: string;
};

/** What triggers of jobs and workflows have in common, read from the request. `at` is its location in the body. */
export async function readCommonFields(ctx: ProjectCtx, requested: Requested, at: string) {
  const { scheduled_at, delay_secs, environment_id, idempotency_key } = requested;
  if (scheduled_at !== undefined && delay_secs !== undefined) {
    throw invalid(`${at}.delay_secs`, "cannot be given together with scheduled_at", delay_secs);
  }
  const environment = readRequestedEnvironment(ctx, environment_id, at);
  return {
    scheduled_at: scheduled_at === undefined ? null : parseInstant(`${at}.scheduled_at`, scheduled_at),
    environment_id: environment instanceof Promise ? await environment : environment,
    ...createdBy(actorOf(ctx.caller)),
    trigger_type: "api" as const,
    traceparent: ctx.origin.trace_context ?? null,
    body_hash: idempotency_key === undefined ? null : await hashRequest(requested),
  };
}

/** `present`: a run that was created, or that would be. */
export type TriggerOutcome<R> =
  | { kind: "created"; id: string; present: () => R | Promise<R> }
  | { kind: "preview"; present: () => R | Promise<R> }
  | { kind: "existing"; id: string };

type Reading<R> = {
  name: "run" | "workflow run";
  read: (id: string) => Promise<R | undefined>;
  waitForEnd: (id: string, secs: number) => Promise<{ run: R | undefined; hasEnded: boolean }>;
};

/** Responds with the new run, its preview or the existing run; with `wait_secs`, with the run once it has ended. */
export async function answerTrigger<R>(
  outcome: TriggerOutcome<R>,
  { name, read, waitForEnd }: Reading<R>,
  wait_secs: number | undefined,
  reply: RouteReply,
): Promise<R> {
  if (outcome.kind !== "created") reply.status(200);
  if (outcome.kind === "preview") return outcome.present();
  if (outcome.kind === "existing") reply.header("Idempotent-Replayed", "true");
  if (wait_secs !== undefined) {
    const { run, hasEnded } = await waitForEnd(outcome.id, wait_secs);
    if (!run) throw new ApiError("not_found", `The ${name} was deleted while the request waited for it.`);
    reply.status(hasEnded ? 200 : 202);
    return run;
  }
  if (outcome.kind === "created") return outcome.present();
  const run = await read(outcome.id);
  if (!run) throw notFound(name);
  return run;
}
