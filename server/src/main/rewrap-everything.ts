import { rewrapDataKeys } from "../features/projects/rewrap-data-keys.ts";
import type { Ctx } from "../platform/context.ts";
import { sql } from "../platform/database/sql.ts";

type Rewrapped = { moved: number; unopened: string[] };

const MAX_NAMED = 20;

/**
 * Wraps the data key of every project with the first value of ENCRYPTION_KEY, like the background task, but now and
 * completely. It may be stopped and restarted at any time: keys are moved one by one, and stay moved. The data keys
 * themselves do not change, so running instances keep working.
 */
export async function rewrapEverything(ctx: Ctx, say: (line: string) => void): Promise<Rewrapped> {
  const began = await countForeign(ctx);
  say(`${began} data keys are not wrapped with the first value of ENCRYPTION_KEY yet.`);
  for (let left = began; ; ) {
    await rewrapDataKeys(ctx);
    const now = await countForeign(ctx);
    if (now < left) say(`${began - now} of ${began} data keys rewrapped.`);
    // Nothing is left, or it cannot be decrypted, or another process is moving it: in any case we are done.
    if (now >= left) break;
    left = now;
  }
  const unopened = await listForeign(ctx);
  return { moved: began - (await countForeign(ctx)), unopened };
}

async function countForeign(ctx: Ctx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from projects
    where not starts_with(encode(wrapped_data_key, 'hex'), ${ctx.encryption.wrappingKeyId.toString("hex")})`.execute(
    ctx.db,
  );
  return rows[0]?.count ?? 0;
}

async function listForeign(ctx: Ctx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from projects
    where not starts_with(encode(wrapped_data_key, 'hex'), ${ctx.encryption.wrappingKeyId.toString("hex")})
    order by id limit ${MAX_NAMED}`.execute(ctx.db);
  return rows.map(({ id }) => id);
}
