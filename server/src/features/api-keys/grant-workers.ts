import type { CreateApiKey } from "@millrace/contract/access/api-keys";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { throwIssues } from "../../platform/errors/issues.ts";
import { type ApiKeyRow, findEnvironmentIds } from "./queries.ts";

type WorkerGrant = Pick<ApiKeyRow, "queues" | "worker_environment_ids">;

/** What workers with the new key may serve: at most what workers with the caller's key may. */
export async function readWorkerGrant(
  ctx: ProjectCtx,
  { queues = null, worker_environment_ids: refs = null }: CreateApiKey,
  environment_id: string | null,
): Promise<WorkerGrant> {
  if (refs !== null && environment_id !== null) {
    const message = "is not possible with `environment_id`, which binds the key to one environment";
    throw invalid("body.worker_environment_ids", message, refs);
  }
  const named = refs && (await readEnvironments(ctx, refs));
  const environments = grantedEnvironments(ctx, environment_id === null ? named : [environment_id]);
  return {
    queues: grantedQueues(ctx, queues),
    worker_environment_ids: environment_id === null ? environments : null,
  };
}

/** The same for an existing key, on which an absent list is no restriction. */
export function refuseWiderWorkers({ caller }: ProjectCtx, key: WorkerGrant & Pick<ApiKeyRow, "environment_id">): void {
  if (caller.kind !== "api_key") return;
  const environments = key.environment_id === null ? key.worker_environment_ids : [key.environment_id];
  if (holds(caller.queues, key.queues) && holds(caller.worker_environment_ids, environments)) return;
  throw new ApiError(
    "grant_too_wide",
    "Workers with that key may serve more queues or environments than workers with your key.",
  );
}

function holds(held: readonly string[] | null | undefined, named: readonly string[] | null): boolean {
  return !held || named?.every((name) => held.includes(name)) === true;
}

async function readEnvironments(ctx: ProjectCtx, refs: readonly string[]): Promise<string[]> {
  const ids = await findEnvironmentIds(ctx, refs);
  throwIssues(
    refs.flatMap((value, index) => {
      if (ids[index]) return [];
      return [
        { location: `body.worker_environment_ids[${index}]`, message: "is not an environment of this project", value },
      ];
    }),
  );
  return [...new Set(ids.filter((id) => id !== null))];
}

/** Names of queues, which need not exist yet. */
function grantedQueues({ caller }: ProjectCtx, requested: string[] | null): string[] | null {
  const held = caller.kind === "api_key" ? caller.queues : null;
  return within(held, requested, (name) => `serve the queue ${name}`);
}

function grantedEnvironments({ caller }: ProjectCtx, requested: string[] | null): string[] | null {
  const held = caller.kind === "api_key" ? caller.worker_environment_ids : null;
  return within(held, requested, (id) => `claim runs of the environment ${id}`);
}

/** What is requested, or all that the caller holds. Null: no restriction. */
function within(
  held: readonly string[] | null | undefined,
  requested: string[] | null,
  what: (name: string) => string,
): string[] | null {
  if (!held) return requested;
  const beyond = requested?.find((name) => !held.includes(name));
  if (beyond === undefined) return requested ?? [...held];
  throw new ApiError("grant_too_wide", `This key may not ${what(beyond)} and cannot grant it.`);
}
