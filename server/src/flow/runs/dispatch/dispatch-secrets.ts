import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { type EncryptedSecrets, openSecrets, SIGNING_SECRETS } from "../../../platform/secrets/signing-secrets.ts";
import { perService } from "../../../platform/service-state.ts";

const FRESH_MS = 1_000; // a changed variable or rotated secret takes effect everywhere within a second
const MAX_CACHED = 5_000;

/** What a dispatch needs in addition to the run itself. */
export type DispatchSecrets = {
  /** The keys that sign this project's requests, newest first. */
  signing: string[];
  /** The variables of the environment merged over those of its parents, as JSON text. */
  variables: string;
};

/** One per environment of the line, the root first; without an environment, one. Encrypted. */
type Row = EncryptedSecrets & { environment_id: string | null; variables: Buffer | null };

type Cached = { secrets: DispatchSecrets; rows: readonly Row[]; readAt: number };
type EnvironmentKey = { project_id: string; environment_id: string };

const cacheOf = perService(() => ({
  cached: new LRUCache<string, Cached>({ max: MAX_CACHED }),
  reading: new Map<string, Promise<DispatchSecrets>>(),
}));

/** Synchronous if they were read within the last second, as for nearly every dispatch of a busy project. */
export function cachedSecrets(ctx: Ctx, { environment_id }: EnvironmentKey): DispatchSecrets | undefined {
  const found = cacheOf(ctx).cached.get(environment_id);
  return found && performance.now() - found.readAt < FRESH_MS ? found.secrets : undefined;
}

/** Concurrent dispatches share one read; a failed read is not cached. */
export function findSecrets(ctx: Ctx, key: EnvironmentKey): Promise<DispatchSecrets> {
  const { reading } = cacheOf(ctx);
  const { environment_id } = key;
  const inFlight = reading.get(environment_id);
  if (inFlight) return inFlight;
  const read = readSecrets(ctx, key).finally(() => reading.delete(environment_id));
  reading.set(environment_id, read);
  return read;
}

/** Decrypted only if they have changed since they were last read. */
async function readSecrets(ctx: Ctx, { project_id, environment_id }: EnvironmentKey): Promise<DispatchSecrets> {
  const { cached } = cacheOf(ctx);
  const rows = await readRows(ctx, project_id, environment_id);
  const known = cached.get(environment_id);
  const secrets = known && areEqual(known.rows, rows) ? known.secrets : await open(ctx, project_id, rows);
  cached.set(environment_id, { secrets, rows, readAt: performance.now() });
  return secrets;
}

async function readRows(ctx: Ctx, project_id: string, environment_id: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    /* prepared */
    with recursive line as (
      select e.id, e.parent_id, e.variables, 0 as depth from environments e
      where e.project_id = ${project_id} and e.id = ${environment_id}
      union all
      select e.id, e.parent_id, e.variables, line.depth + 1 from line
      join environments e on e.project_id = ${project_id} and e.id = line.parent_id
      where line.depth < 64
    )
    select l.id as environment_id, l.variables, ${SIGNING_SECRETS}
    from projects p left join line l on true where p.id = ${project_id} order by l.depth desc`.executeTogether(ctx.db);
  return rows;
}

function areEqual(some: readonly Row[], others: readonly Row[]): boolean {
  return some.length === others.length && some.every((row, nth) => isEqual(row, others[nth] as Row));
}

function isEqual(one: Row, other: Row): boolean {
  return (
    one.environment_id === other.environment_id &&
    isSame(one.variables, other.variables) &&
    isSame(one.webhook_secret, other.webhook_secret) &&
    isSame(one.previous_webhook_secret, other.previous_webhook_secret)
  );
}

function isSame(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

async function open(ctx: Ctx, project_id: string, rows: readonly Row[]): Promise<DispatchSecrets> {
  const opened = rows.map(async ({ environment_id, variables }) => {
    if (variables === null) return {};
    const context = `${project_id}/${environment_id}/variables`;
    return JSON.parse(await ctx.encryption.decryptText(ctx.db, project_id, context, variables)) as object;
  });
  return {
    signing: await openSecrets(ctx, project_id, rows[0]),
    variables: JSON.stringify(Object.assign({}, ...(await Promise.all(opened)))),
  };
}
