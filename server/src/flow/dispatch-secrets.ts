import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../platform/context.ts";
import { perService } from "../platform/service-state.ts";

const FRESH_MS = 1_000; // a changed variable or rotated secret is in use everywhere within a second
const MOST_CACHED = 5_000;

const secretsOf = perService(() => freshCache<string[]>());
const variablesOf = perService(() => freshCache<string>());

function freshCache<T extends object | string>() {
  return new LRUCache<string, Promise<T>>({ max: MOST_CACHED, ttl: FRESH_MS });
}

/** What this project's requests are signed with, newest first. */
export function signingSecrets(ctx: Ctx, project_id: string): Promise<string[]> {
  return once(secretsOf(ctx), project_id, () => readSecrets(ctx, project_id));
}

/** The variables of an environment over those of its parents, as JSON text. */
export function environmentVariables(ctx: Ctx, project_id: string, environment_id: string): Promise<string> {
  return once(variablesOf(ctx), environment_id, () => readVariables(ctx, project_id, environment_id));
}

/** Of many dispatches at once one reads; a failed reading is not remembered. */
function once<T extends object | string>(cache: LRUCache<string, Promise<T>>, key: string, read: () => Promise<T>) {
  const known = cache.get(key);
  if (known) return known;
  const reading = read();
  cache.set(key, reading);
  reading.catch(() => cache.delete(key));
  return reading;
}

async function readSecrets(ctx: Ctx, project_id: string): Promise<string[]> {
  const { rows } = await sql<{ webhook_secret: Buffer; previous_webhook_secret: Buffer | null }>`
    select webhook_secret,
      case when previous_webhook_secret_until > clock() then previous_webhook_secret end as previous_webhook_secret
    from projects where id = ${project_id}`.execute(ctx.db);
  const sealed = [rows[0]?.webhook_secret, rows[0]?.previous_webhook_secret].filter((each) => each != null);
  return Promise.all(sealed.map((each) => ctx.seal.openText(ctx.db, project_id, `${project_id}/webhook_secret`, each)));
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
    rows.map((row) => ctx.seal.openText(ctx.db, project_id, `${project_id}/${row.id}/variables`, row.variables)),
  );
  return JSON.stringify(Object.assign({}, ...opened.map((text) => JSON.parse(text) as object)));
}
