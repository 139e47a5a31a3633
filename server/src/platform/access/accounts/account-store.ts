import { createHash, timingSafeEqual } from "node:crypto";
import type { Ctx, InTransaction, RequestOrigin } from "../../context.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { ApiError } from "../../errors/errors.ts";
import { isId, newId } from "../../ids.ts";
import { countRequestOf } from "../credentials/ip-counters.ts";
import { foldEmail } from "../email-address.ts";
import { type Derived, derivePassword, newSalt } from "./derive-password.ts";
import { findTotpStep } from "./totp.ts";

export type Account = {
  id: string;
  email: string;
  name: string;
  salt: Buffer;
  password_hash: Buffer;
  totp_secret: Buffer | null;
  totp_step: number | null;
  created_at: string;
};

export const LOCAL = "local:";
const TOTP_PLACE = "account totp secret";
/** Attempts a minute for one account. One address cannot lock a person out; seven together can, while they go on. */
const MAX_FROM_ADDRESS = 5;
const MAX_IN_ALL = 30;
/**
 * Attempts per minute from all addresses: a code has only a million values, and whoever tries codes knows the password.
 */
const MAX_CODES = 5;
const NO_ACCOUNT = newSalt();

export async function findAccount(ctx: Ctx, by: { email: string } | { subject: string }): Promise<Account | undefined> {
  const id = "subject" in by ? by.subject.slice(LOCAL.length) : "";
  if ("subject" in by && !(by.subject.startsWith(LOCAL) && isId(id))) return undefined;
  const { rows } = await sql<Account>`
    select id, email, name, salt, password_hash, totp_secret, totp_step::int, created_at from accounts
    where ${"email" in by ? sql`email = ${foldEmail(by.email)}` : sql`id = ${id}`}`.execute(ctx.db);
  return rows[0];
}

type Given = { email: string; password: string; totp: string | undefined };

/** Returns the account if password and code are right. An unknown address costs as much as a wrong password. */
export async function verifyAccount(ctx: Ctx & { origin: RequestOrigin }, { email, password, totp }: Given) {
  await countAttempt(ctx, email);
  const account = await findAccount(ctx, { email });
  const derived = await derivePassword(password, account?.salt ?? NO_ACCOUNT, ctx.config.password_cost);
  const isRight = account !== undefined && timingSafeEqual(account.password_hash, derived.password_hash);
  if (!isRight) throw new ApiError("unauthorized", "The e-mail address or the password is wrong.");
  if (account.totp_secret) await redeemTotp(ctx, account, derived, totp);
  return { account, derived };
}

async function countAttempt(ctx: Ctx & { origin: RequestOrigin }, email: string): Promise<void> {
  const who = createHash("sha256").update(foldEmail(email)).digest("base64url");
  await countOrRefuse(ctx, `${who} ${ctx.origin.ip}`, MAX_FROM_ADDRESS);
  await countOrRefuse(ctx, who, MAX_IN_ALL);
}

async function countOrRefuse(ctx: Ctx, client: string, limit: number): Promise<void> {
  const { admitted, reset_secs } = await countRequestOf(ctx, { name: "account", client, limit });
  if (admitted) return;
  throw new ApiError("rate_limited", `Too many attempts for this account. Try again in ${reset_secs} s.`, {
    headers: { "retry-after": String(reset_secs) },
  });
}

/** A guarded update: of two requests with the same code, one wins. */
async function redeemTotp(ctx: Ctx, account: Account, { totp_key }: Derived, totp: string | undefined): Promise<void> {
  if (totp === undefined) throw new ApiError("totp_required", "This account needs a code from the authenticator app.");
  await countOrRefuse(ctx, `${account.id} totp`, MAX_CODES);
  const secret = ctx.encryption.decryptWith(totp_key, TOTP_PLACE, account.totp_secret ?? Buffer.alloc(0));
  const step = findTotpStep(Buffer.from(secret, "hex"), totp, ctx.watch.nowMs(), account.totp_step);
  const { rows } = await sql`
    update accounts set totp_step = ${step ?? null}::bigint
    where id = ${account.id} and coalesce(totp_step, 0) < ${step ?? 0}::bigint returning id`.execute(ctx.db);
  if (rows.length === 0) throw new ApiError("unauthorized", "The code is wrong, has expired or was used before.");
}

export async function createAccount(tx: Ctx & InTransaction, made: { email: string; name: string; password: Hashed }) {
  const { rows } = await sql<Account>`
    insert into accounts (id, email, name, salt, password_hash, created_at, updated_at)
    values (${newId()}, ${made.email}, ${made.name}, ${made.password.salt}, ${made.password.password_hash}, clock(), clock())
    on conflict (email) do nothing returning *`.execute(tx.db);
  if (!rows[0])
    throw new ApiError("conflict", "This person already has an account. Accept the invitation with its password.");
  return rows[0];
}

export type Hashed = Derived & { salt: Buffer };

export async function hashNewPassword({ config }: Ctx, password: string): Promise<Hashed> {
  const salt = newSalt();
  return { salt, ...(await derivePassword(password, salt, config.password_cost)) };
}

/** The TOTP secret is encrypted again, with the key of the new password. */
export async function changePassword(tx: Ctx & InTransaction, account: Account, before: Derived, next: Hashed) {
  const { totp_secret } = account;
  const open = totp_secret && tx.encryption.decryptWith(before.totp_key, TOTP_PLACE, totp_secret);
  const sealed = open && tx.encryption.encryptWith(next.totp_key, TOTP_PLACE, open);
  const { rows } = await sql`
    update accounts set salt = ${next.salt}, password_hash = ${next.password_hash}, totp_secret = ${sealed},
      reset_hash = null, reset_expires_at = null, updated_at = clock()
    where ${isAsVerified(account)} returning id`.execute(tx.db);
  if (rows.length === 0) throw changed();
}

/** Null: signs in without a code from now on. */
export async function setTotp(tx: Ctx & InTransaction, account: Account, { totp_key }: Derived, secret: Buffer | null) {
  const sealed = secret && tx.encryption.encryptWith(totp_key, TOTP_PLACE, secret.toString("hex"));
  const { rows } = await sql`
    update accounts set totp_secret = ${sealed}, totp_step = null, updated_at = clock()
    where ${isAsVerified(account)} returning id`.execute(tx.db);
  if (rows.length === 0) throw changed();
}

/** Of two concurrent changes one fails, since it was verified against a password or secret that no longer exists. */
function isAsVerified({ id, password_hash, totp_secret }: Account): Sql {
  return sql`id = ${id} and password_hash = ${password_hash} and totp_secret is not distinct from ${totp_secret}::bytea`;
}

function changed(): ApiError {
  return new ApiError("conflict", "The account was changed by another request. Try again.");
}
