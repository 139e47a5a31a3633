import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";

export type RetryRule = {
  retry_strategy: "exponential" | "linear" | "fixed" | "custom";
  retry_delays_secs: number[] | null;
};

/** The behavior of a run. A version never changes, so it is read once. */
export type JobVersion = RetryRule & {
  id: string;
  endpoint_url: string;
  /** Decrypted only for a dispatch: a run ends, and its lease is swept, even if they cannot be read. */
  encrypted_headers: Buffer;
  result_schema: object | null;
  on_failure_job_id: string | null;
  max_cost_microusd: number | null;
  unreachable_timeout_secs: number;
};

const MAX_CACHED = 5_000;
const cacheOf = perService(() => new LRUCache<string, JobVersion>({ max: MAX_CACHED }));

/** Synchronous if this instance has read it before. */
export function cachedVersion(ctx: Ctx, version_id: string): JobVersion | undefined {
  return cacheOf(ctx).get(version_id);
}

export async function findJobVersion(ctx: Ctx, project_id: string, version_id: string): Promise<JobVersion> {
  const cached = cacheOf(ctx).get(version_id);
  if (cached) return cached;
  const { rows } = await sql<JobVersion>`
    select id, endpoint_url, headers as encrypted_headers, retry_strategy, retry_delays_secs, result_schema,
      on_failure_job_id, max_cost_microusd, unreachable_timeout_secs
    from job_versions where project_id = ${project_id} and id = ${version_id}`.execute(ctx.db);
  const [version] = rows;
  if (!version) throw new Error(`job version ${version_id} is missing`);
  cacheOf(ctx).set(version_id, version);
  return version;
}

export async function decryptHeaders(ctx: Ctx, project_id: string, version: JobVersion): Promise<[string, string][]> {
  const context = `${project_id}/${version.id}/headers`;
  const text = await ctx.encryption.decryptText(ctx.db, project_id, context, version.encrypted_headers);
  return Object.entries(JSON.parse(text) as Record<string, string>);
}
