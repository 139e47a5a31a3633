import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { sql } from "../../database/sql.ts";
import { applyRules } from "./apply-rules.ts";
import { type Person, refreshPerson } from "./exchange-code.ts";
import { SignInFailure } from "./sign-in-failure.ts";

export type CheckedSession = { id: string; subject: string; provider: string; refresh_token: Buffer };

/** A provider that does not respond is asked again after this. */
const RETRY_AFTER_SECS = 30;
const PLACE = "session refresh token";

/** Only the browser holds the token, so a copy of the database reveals no refresh token. */
export function sealRefreshToken(ctx: Ctx, token: string, refresh_token: string): Buffer {
  return ctx.encryption.encryptWith(keyOf(token), PLACE, refresh_token);
}

function keyOf(token: string): Buffer {
  return createHash("sha256").update(`millrace refresh token ${token}`).digest();
}

/**
 * Asks the provider whether the person still has access; false ends the session. Of concurrent requests one asks, and
 * the others go on. While the provider does not respond, the session goes on for an hour.
 */
export async function recheckSession(ctx: Ctx, token: string, session: CheckedSession): Promise<boolean> {
  const provider = ctx.config.sign_in.providers.find(({ id }) => id === session.provider);
  if (!provider) return false;
  if (!(await claimCheck(ctx, session.id))) return true;
  const refresh_token = ctx.encryption.decryptWith(keyOf(token), PLACE, session.refresh_token);
  try {
    const found = await refreshPerson(ctx, provider, { subject: session.subject, refresh_token });
    await recordChecked(ctx, session.id, sealRefreshToken(ctx, token, found.refresh_token));
    return found.person === undefined || (await hasAccess(ctx, found.person));
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    ctx.log.warn({ provider: provider.id, reason: error.message }, "a session could not be confirmed");
    return error.kind === "unavailable";
  }
}

async function hasAccess(ctx: Ctx, person: Person): Promise<boolean> {
  return (await applyRules(ctx, person)) > 0;
}

/** Until it is confirmed, the next check is due as after a failure: a provider that is down is not asked all the time. */
async function claimCheck(ctx: Ctx, id: string): Promise<boolean> {
  const { rows } = await sql`
    update sessions set check_due_at = clock() + ${RETRY_AFTER_SECS} * interval '1 second'
    where id = ${id} and check_due_at <= clock() returning id`.execute(ctx.db);
  return rows.length > 0;
}

async function recordChecked(ctx: Ctx, id: string, refresh_token: Buffer): Promise<void> {
  await sql`
    update sessions set refresh_token = ${refresh_token}, checked_at = clock(),
      check_due_at = clock() + ${ctx.config.sign_in.recheck_secs} * interval '1 second'
    where id = ${id}`.execute(ctx.db);
}
