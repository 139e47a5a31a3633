import { createHash, randomBytes } from "node:crypto";
import type { Ctx, InTransaction } from "../../context.ts";
import { sql } from "../../database/sql.ts";
import { isId } from "../../ids.ts";
import type { Hashed } from "./account-store.ts";

/** The token names its account; the rest is random, and stored as a hash. It replaces an earlier one. */
export async function startReset(tx: Ctx & InTransaction, id: string, hours: number) {
  const token = `${id}.${randomBytes(32).toString("base64url")}`;
  const { rows } = await sql<{ expires_at: string }>`
    update accounts set reset_hash = ${hash(token)}, reset_expires_at = clock() + ${hours} * interval '1 hour'
    where id = ${id} returning reset_expires_at as expires_at`.execute(tx.db);
  return { token, expires_at: rows[0]?.expires_at ?? "" };
}

/** The account that a token is for. Undefined: it was used, replaced or has expired. */
export async function findReset(ctx: Ctx, token: string): Promise<string | undefined> {
  const [id = ""] = token.split(".");
  if (!isId(id)) return undefined;
  const { rows } = await sql<{ id: string }>`
    select id from accounts
    where id = ${id} and reset_hash = ${hash(token)} and reset_expires_at > clock()`.execute(ctx.db);
  return rows[0]?.id;
}

/** The TOTP secret goes with the old password, which encrypts it. Of two requests with the same token, one wins. */
export async function finishReset(tx: Ctx & InTransaction, token: string, next: Hashed): Promise<boolean> {
  const { rows } = await sql`
    update accounts set salt = ${next.salt}, password_hash = ${next.password_hash}, totp_secret = null, totp_step = null,
      reset_hash = null, reset_expires_at = null, updated_at = clock()
    where id = ${token.split(".")[0]} and reset_hash = ${hash(token)} and reset_expires_at > clock()
    returning id`.execute(tx.db);
  return rows.length > 0;
}

function hash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
