import { CreateResetLink, ResetLink, ResetPassword } from "@millrace/contract/access/account";
import { findAccount, hashNewPassword, LOCAL } from "../../platform/access/accounts/account-store.ts";
import { findReset, finishReset, startReset } from "../../platform/access/accounts/password-reset.ts";
import { endSessionsOf } from "../../platform/access/credentials/person-sessions.ts";
import { auditPerson, auditPersonByService } from "../../platform/audit/audit-person.ts";
import type { CallerCtx, Ctx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { internalRoute, publicRoute, type Route } from "../../platform/route.ts";

const DEFAULT_HOURS = 24;

/** Only the operator can help: a person may be a member of projects whose administrators do not know each other. */
export const resetRoutes: Route[] = [
  internalRoute("POST /v1/account/reset-link", {
    summary: "Create a link with which a person sets a new password",
    body: CreateResetLink,
    response: ResetLink,
    status: 201,
    errors: ["not_found"],
    run: (ctx, { body }) => createLink(ctx, body),
  }),
  publicRoute("POST /v1/account/reset", {
    summary: "Set a new password with a link; ends all sessions and turns codes off",
    limit: "sign_in",
    body: ResetPassword,
    errors: ["not_found"],
    run: (ctx, { body }) => resetPassword(ctx, body),
  }),
];

async function createLink(ctx: CallerCtx, { email, expires_in_hours = DEFAULT_HOURS }: CreateResetLink) {
  const account = await findAccount(ctx, { email });
  if (!account) throw new ApiError("not_found", "There is no local account with this e-mail address.");
  return inTransaction(ctx, async (tx): Promise<Omit<ResetLink, "$schema">> => {
    const { token, expires_at } = await startReset(tx, account.id, expires_in_hours);
    await auditPerson(tx, `${LOCAL}${account.id}`, { action: "member.reset_link_created", after: { expires_at } });
    // After the #, which browsers send to no server: it stays out of logs.
    return { email: account.email, url: `${ctx.origin.base_url}/reset#${token}`, expires_at };
  });
}

async function resetPassword(ctx: Ctx, { token, password }: ResetPassword): Promise<undefined> {
  const id = await findReset(ctx, token);
  if (id === undefined) throw over();
  const next = await hashNewPassword(ctx, password);
  await inTransaction(ctx, async (tx) => {
    if (!(await finishReset(tx, token, next))) throw over();
    await endSessionsOf(tx, `${LOCAL}${id}`);
    await auditPersonByService(tx, `${LOCAL}${id}`, "member.password_reset");
  });
}

function over(): ApiError {
  return new ApiError("not_found", "The link was used, replaced or has expired. Ask for another one.");
}
