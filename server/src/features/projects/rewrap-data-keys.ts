import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { rewrapEncryptionCheck } from "./encryption-check.ts";

const PAGE = 500;

type WrappedKey = { id: string; wrapped_data_key: Buffer };

/**
 * After a rotation of ENCRYPTION_KEY, rewraps every project's data key with its first value, so that the old value can
 * be dropped. A key that no value decrypts is kept and logged: its project works again when the value is back.
 */
export async function rewrapDataKeys(ctx: Ctx): Promise<boolean> {
  const page = await listForeignKeys(ctx);
  let moved = 0;
  for (const key of page) moved += await rewrapOne(ctx, key);
  if (page.length < PAGE) await rewrapEncryptionCheck(ctx);
  return moved > 0 && page.length === PAGE;
}

async function listForeignKeys(ctx: Ctx): Promise<WrappedKey[]> {
  const { rows } = await sql<WrappedKey>`
    select id, wrapped_data_key from projects
    where not starts_with(encode(wrapped_data_key, 'hex'), ${ctx.encryption.wrappingKeyId.toString("hex")})
    order by random() limit ${PAGE}`.execute(ctx.db);
  return rows;
}

async function rewrapOne(ctx: Ctx, { id, wrapped_data_key }: WrappedKey): Promise<number> {
  try {
    const rewrapped = ctx.encryption.rewrap(wrapped_data_key);
    const { rows } = await sql`
      update projects set wrapped_data_key = ${rewrapped}
      where id = ${id} and wrapped_data_key = ${wrapped_data_key} returning 1`.execute(ctx.db);
    return rows.length;
  } catch (error) {
    ctx.log.error({ project_id: id, reason: (error as Error).message }, "a project's data key cannot be rewrapped");
    return 0;
  }
}
