import { sql } from "kysely";
import { rewrapDataKeys } from "../features/projects/rewrap-data-keys.ts";
import type { Ctx } from "../platform/context.ts";

type Rewrapped = { moved: number; unopened: string[] };

const MOST_NAMED = 20;

/**
 * Brings the data key of every project under the first value of ENCRYPTION_KEY, as the task does, but now and to the
 * end. It may be stopped and begun again at any time: each key is moved by itself, and one that was moved stays. The
 * data keys themselves stay what they are, so instances that run go on with those they know.
 */
export async function rewrapEverything(ctx: Ctx, say: (line: string) => void): Promise<Rewrapped> {
  const began = await countForeign(ctx);
  say(`${began} projects are not under the first value of ENCRYPTION_KEY.`);
  for (let left = began; ; ) {
    await rewrapDataKeys(ctx);
    const now = await countForeign(ctx);
    if (now < left) say(`${began - now} of ${began} moved.`);
    // Nothing is left, or it cannot be opened, or somebody else is at it: in any case we are done.
    if (now >= left) break;
    left = now;
  }
  const unopened = await listForeign(ctx);
  return { moved: began - (await countForeign(ctx)), unopened };
}

async function countForeign(ctx: Ctx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from projects
    where not starts_with(encode(wrapped_data_key, 'hex'), ${ctx.seal.wrappingKeyId.toString("hex")})`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

async function listForeign(ctx: Ctx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from projects
    where not starts_with(encode(wrapped_data_key, 'hex'), ${ctx.seal.wrappingKeyId.toString("hex")})
    order by id limit ${MOST_NAMED}`.execute(ctx.db);
  return rows.map(({ id }) => id);
}
