import type { MemberSession } from "@millrace/contract/access/members";
import type { CallerCtx, Ctx } from "../../context.ts";
import { sql } from "../../database/sql.ts";
import { notFound } from "../../errors/errors.ts";
import { isId } from "../../ids.ts";

const MAX_SHOWN = 100;

/** The sessions of a person that have not ended, newest first. Null: of nobody. */
export async function listSessions(ctx: CallerCtx, subject: string | null): Promise<MemberSession[]> {
  const { rows } = await sql<MemberSession>`
    select id, provider, ip, user_agent, created_at, last_used_at, expires_at,
      id is not distinct from ${ctx.session?.id ?? null}::uuid as is_current
    from sessions
    where subject = ${subject} and expires_at > clock()
    order by created_at desc, id desc limit ${MAX_SHOWN}`.execute(ctx.db);
  return rows;
}

export async function endSessionsOf(ctx: Ctx, subject: string): Promise<number> {
  const { rows } = await sql`delete from sessions where subject = ${subject} returning id`.execute(ctx.db);
  return rows.length;
}

type EndedSession = Pick<MemberSession, "id" | "provider" | "ip" | "user_agent">;

/** Ends one session of a person, and returns what the audit log says about it. Open streams end when next checked. */
export async function endSessionOf(ctx: Ctx, subject: string | null, id: string): Promise<EndedSession> {
  const { rows } = await sql<EndedSession>`
    delete from sessions where subject = ${subject} and id = ${isId(id) ? id : null}::uuid and expires_at > clock()
    returning id, provider, ip, user_agent`.execute(ctx.db);
  if (!rows[0]) throw notFound("session");
  return rows[0];
}

export async function endOtherSessions(ctx: Ctx, account_id: string, kept: string | null): Promise<void> {
  await sql`
    delete from sessions where subject = ${`local:${account_id}`} and id is distinct from ${kept}::uuid`.execute(
    ctx.db,
  );
}

/** Ends sessions of a provider's people by their subjects or verified addresses, and returns their subjects. */
export async function endProvisionedSessions(
  ctx: Ctx,
  provider: string,
  { subjects, emails }: { subjects: readonly string[]; emails: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    delete from sessions
    where provider = ${provider} and (subject = any(${subjects}::text[]) or lower(email) = any(${emails}::text[]))
    returning subject`.execute(ctx.db);
  return rows.map(({ subject }) => subject);
}
