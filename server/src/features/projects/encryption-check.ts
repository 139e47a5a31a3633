import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";

const MAX_SCANNED = 100;

/**
 * Whether a value of ENCRYPTION_KEY is the one that encrypted the secrets in this database. The first start stores a
 * check value; an older database without one is checked by the keys of its projects.
 */
export async function holdsEncryptionKey(ctx: Ctx): Promise<boolean> {
  const kept = (await readCheck(ctx)) ?? (await makeCheck(ctx));
  return kept !== undefined && opens(ctx, kept);
}

/** Runs after the keys of the projects: then nothing is left under the old value. */
export async function rewrapEncryptionCheck(ctx: Ctx): Promise<void> {
  const kept = await readCheck(ctx);
  const isForeign = kept && !kept.subarray(0, ctx.encryption.wrappingKeyId.length).equals(ctx.encryption.wrappingKeyId);
  if (!isForeign || !opens(ctx, kept)) return;
  await sql`
    update encryption_check set wrapped_key = ${ctx.encryption.rewrap(kept)}, updated_at = clock()
    where is_only and wrapped_key = ${kept}`.execute(ctx.db);
}

async function readCheck(ctx: Ctx): Promise<Buffer | undefined> {
  const { rows } = await sql<{ wrapped_key: Buffer }>`select wrapped_key from encryption_check`.execute(ctx.db);
  return rows[0]?.wrapped_key;
}

/** Another instance that is starting may be first: its stored value counts. */
async function makeCheck(ctx: Ctx): Promise<Buffer | undefined> {
  const { rows } = await sql<{ wrapped_data_key: Buffer }>`
    select wrapped_data_key from projects order by created_at desc limit ${MAX_SCANNED}`.execute(ctx.db);
  if (rows.length > 0 && !rows.some(({ wrapped_data_key }) => opens(ctx, wrapped_data_key))) return undefined;
  await sql`
    insert into encryption_check (wrapped_key, updated_at) values (${ctx.encryption.newDataKey().wrapped}, clock())
    on conflict do nothing`.execute(ctx.db);
  return readCheck(ctx);
}

function opens({ encryption }: Ctx, wrapped: Buffer): boolean {
  try {
    encryption.rewrap(wrapped);
    return true;
  } catch {
    return false;
  }
}
