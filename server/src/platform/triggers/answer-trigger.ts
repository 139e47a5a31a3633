import { readRequestedEnvironment } from "../access/environments.ts";
import { actorOf, createdBy } from "../actor.ts";
import type { ProjectCtx } from "../context.ts";
import { ApiError, invalid, notFound } from "../errors/errors.ts";
import { hashRequest } from "../idempotency-key.ts";
import type { RouteReply } from "../route.ts";
import { parseInstant } from "../time/instant.ts";

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
  return {
    scheduled_at: scheduled_at === undefined ? null : parseInstant(`${at}.scheduled_at`, scheduled_at),
    environment_id: await readRequestedEnvironment(ctx, environment_id, at),
    ...createdBy(actorOf(ctx.caller)),
    trigger_type: "api" as const,
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
