import { randomBytes } from "node:crypto";
import { Account, ChangePassword, DisableTotp, EnableTotp, TotpSecret } from "@millrace/contract/access/account";
import { MemberSessions } from "@millrace/contract/access/members";
import {
  type Account as AccountRow,
  findAccount,
  hashNewPassword,
  LOCAL,
  setTotp,
  verifyAccount,
  changePassword as writePassword,
} from "../../platform/access/accounts/account-store.ts";
import { findTotpStep, fromBase32, toBase32 } from "../../platform/access/accounts/totp.ts";
import { endOtherSessions, endSessionOf, listSessions } from "../../platform/access/credentials/person-sessions.ts";
import { subjectOfPerson } from "../../platform/access/person.ts";
import { auditPerson } from "../../platform/audit/audit-person.ts";
import type { CallerCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { callerRoute, type Route } from "../../platform/route.ts";
import { resetRoutes } from "./reset-routes.ts";

const errors = ["unauthorized", "totp_required", "rate_limited", "not_found", "conflict"] as const;

export const accountRoutes: Route[] = [
  callerRoute("GET /v1/account", {
    summary: "Get the caller's local account",
    response: Account,
    errors: ["not_found"],
    run: (ctx) => getAccount(ctx),
  }),
  callerRoute("POST /v1/account/password", {
    summary: "Change the password, and end all other sessions",
    body: ChangePassword,
    errors,
    run: (ctx, { body }) => changePassword(ctx, body),
  }),
  callerRoute("POST /v1/account/totp", {
    summary: "Make a secret for an authenticator app",
    response: TotpSecret,
    errors: ["not_found"],
    run: (ctx) => newSecret(ctx),
  }),
  callerRoute("POST /v1/account/totp/enable", {
    summary: "Require a code at sign-in",
    body: EnableTotp,
    errors,
    run: (ctx, { body }) => enableTotp(ctx, body),
  }),
  callerRoute("POST /v1/account/totp/disable", {
    summary: "Sign in without a code",
    body: DisableTotp,
    errors,
    run: (ctx, { body }) => disableTotp(ctx, body),
  }),
  callerRoute("GET /v1/account/sessions", {
    summary: "List the caller's own sessions",
    response: MemberSessions,
    run: async (ctx) => ({ sessions: await listSessions(ctx, subjectOfPerson(ctx)) }),
  }),
  callerRoute("DELETE /v1/account/sessions/{sessionID}", {
    summary: "End one of the caller's own sessions",
    errors: ["not_found"],
    run: (ctx, { params }) => endOwn(ctx, params.sessionID),
  }),
  ...resetRoutes,
];

async function ownAccount(ctx: CallerCtx): Promise<AccountRow> {
  const { caller, session } = ctx;
  const account =
    caller.kind === "member" && !caller.key && session
      ? await findAccount(ctx, { subject: caller.subject })
      : undefined;
  if (!account) throw new ApiError("not_found", "The caller has no local account.");
  return account;
}

async function getAccount(ctx: CallerCtx): Promise<Account> {
  const { email, name, totp_secret, created_at } = await ownAccount(ctx);
  return { email, name, totp_enabled: totp_secret !== null, created_at };
}

async function changePassword(ctx: CallerCtx, { password, totp, new_password }: ChangePassword): Promise<undefined> {
  const { email } = await ownAccount(ctx);
  const { account, derived } = await verifyAccount(ctx, { email, password, totp });
  const next = await hashNewPassword(ctx, new_password);
  await inTransaction(ctx, async (tx) => {
    await writePassword(tx, account, derived, next);
    await auditPerson(tx, `${LOCAL}${account.id}`, { action: "member.password_changed" });
    await endOtherSessions(tx, account.id, ctx.session?.id ?? null);
  });
}

/** Not stored: the app proves in the next request that it has it. */
async function newSecret(ctx: CallerCtx): Promise<TotpSecret> {
  const { email } = await ownAccount(ctx);
  const secret = toBase32(randomBytes(20));
  return { secret, uri: `otpauth://totp/Millrace:${encodeURIComponent(email)}?secret=${secret}&issuer=Millrace` };
}

async function enableTotp(ctx: CallerCtx, { password, secret, totp }: EnableTotp): Promise<undefined> {
  const { email, totp_secret } = await ownAccount(ctx);
  if (totp_secret) throw invalid("body.secret", "the account requires codes already: disable that first", null);
  const { account, derived } = await verifyAccount(ctx, { email, password, totp: undefined });
  const bytes = fromBase32(secret);
  if (findTotpStep(bytes, totp, ctx.watch.nowMs(), null) === undefined)
    throw invalid("body.totp", "is not the current code of this secret", null);
  await writeTotp(ctx, account, derived, bytes);
}

async function disableTotp(ctx: CallerCtx, { password, totp }: DisableTotp): Promise<undefined> {
  const { email } = await ownAccount(ctx);
  const { account, derived } = await verifyAccount(ctx, { email, password, totp });
  await writeTotp(ctx, account, derived, null);
}

type Verified = Awaited<ReturnType<typeof verifyAccount>>;

async function writeTotp(ctx: CallerCtx, account: AccountRow, derived: Verified["derived"], secret: Buffer | null) {
  await inTransaction(ctx, async (tx) => {
    await setTotp(tx, account, derived, secret);
    await auditPerson(tx, `${LOCAL}${account.id}`, { action: secret ? "member.totp_enabled" : "member.totp_disabled" });
  });
  return undefined;
}

/** Only people have sessions. */
async function endOwn(ctx: CallerCtx, id: string): Promise<undefined> {
  const subject = subjectOfPerson(ctx);
  await inTransaction(ctx, async (tx) => {
    const session = await endSessionOf(tx, subject, id);
    await auditPerson(tx, subject ?? "", { action: "member.session_ended", after: { subject, session } });
  });
}
