import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../platform/context.ts";
import { readSigningSecrets } from "../../../platform/secrets/signing-secrets.ts";
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

type Kept = { secrets: DispatchSecrets; readAt: number };
type EnvironmentKey = { project_id: string; environment_id: string };

const keptOf = perService(() => ({
  known: new LRUCache<string, Kept>({ max: MAX_CACHED }),
  reading: new Map<string, Promise<DispatchSecrets>>(),
}));

/** Synchronous if they were read within the last second, as for nearly every dispatch of a busy service. */
export function knownSecrets(ctx: Ctx, { environment_id }: EnvironmentKey): DispatchSecrets | undefined {
  const kept = keptOf(ctx).known.get(environment_id);
  return kept && performance.now() - kept.readAt < FRESH_MS ? kept.secrets : undefined;
}

/** Concurrent dispatches share one read; a failed read is not cached. */
export function findSecrets(ctx: Ctx, key: EnvironmentKey): Promise<DispatchSecrets> {
  const { known, reading } = keptOf(ctx);
  const { environment_id } = key;
  const underWay = reading.get(environment_id);
  if (underWay) return underWay;
  const read = readBoth(ctx, key)
    .then((secrets) => {
      known.set(environment_id, { secrets, readAt: performance.now() });
      return secrets;
    })
    .finally(() => reading.delete(environment_id));
  reading.set(environment_id, read);
  return read;
}

async function readBoth(ctx: Ctx, { project_id, environment_id }: EnvironmentKey): Promise<DispatchSecrets> {
  return {
    signing: await readSigningSecrets(ctx, project_id),
    variables: await readVariables(ctx, project_id, environment_id),
  };
}

async function readVariables(ctx: Ctx, project_id: string, environment_id: string): Promise<string> {
  const { rows } = await sql<{ id: string; variables: Buffer }>`
    with recursive line as (
      select id, parent_id, variables, 0 as depth from environments
      where project_id = ${project_id} and id = ${environment_id}
      union all
      select e.id, e.parent_id, e.variables, line.depth + 1 from line
      join environments e on e.project_id = ${project_id} and e.id = line.parent_id
      where line.depth < 64
    )
    select id, variables from line order by depth desc`.execute(ctx.db);
  const opened = await Promise.all(
    rows.map((row) =>
      ctx.encryption.decryptText(ctx.db, project_id, `${project_id}/${row.id}/variables`, row.variables),
    ),
  );
  return JSON.stringify(Object.assign({}, ...opened.map((text) => JSON.parse(text) as object)));
}
