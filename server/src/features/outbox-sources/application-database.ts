import type pg from "pg";
import type { Ctx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import {
  connectForeign,
  describeForeignError,
  type ForeignDatabase,
  parseDatabaseUrl,
} from "../../platform/outgoing/foreign-database.ts";

type Stored = { project_id: string; id: string; database_url: Buffer };

/** The parts of a connection string of a request, or a refusal with its location. */
export function readDatabaseUrl({ config }: Ctx, database_url: string): ForeignDatabase {
  const parsed = parseDatabaseUrl(database_url, config.private_endpoints);
  // The value is not repeated: it has a password.
  if (!parsed.ok) throw invalid("body.database_url", parsed.reason, null);
  return parsed.database;
}

/** Refuses a database that cannot be reached, is not prepared, or whose user may not drain it. */
export async function testDatabase(ctx: Ctx, database: ForeignDatabase): Promise<void> {
  try {
    await withDatabase(ctx, database, (client) => client.query(PROBE));
  } catch (error) {
    throw invalid("body.database_url", `does not work: ${explain(error)}`, null);
  }
}

/** Needs every permission that draining needs, and changes nothing. */
const PROBE = `with deleted as (delete from millrace.enqueued where false),
  changed as (update millrace.enqueued set refused_at = null, error_code = null, error = null where false)
  select seq, id, job, payload, options, enqueued_at from millrace.enqueued where false`;

const UNDEFINED_TABLE = "42P01";

export function explain(error: unknown): string {
  const isMissing = (error as { code?: string }).code === UNDEFINED_TABLE;
  return isMissing
    ? "The database has no table millrace.enqueued: run `millrace outbox install` first."
    : describeForeignError(error);
}

export async function withDatabase<T>(
  ctx: Ctx,
  database: ForeignDatabase,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connectForeign(ctx.outgoing, database);
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The stored connection string, checked again: the operator may have restricted the addresses since. */
export async function readStoredDatabase(ctx: Ctx, { project_id, id, database_url }: Stored): Promise<ForeignDatabase> {
  const text = await ctx.encryption.decryptText(ctx.db, project_id, encryptionContextOf(project_id, id), database_url);
  const parsed = parseDatabaseUrl(text, ctx.config.private_endpoints);
  if (!parsed.ok) throw new Error(`The connection string ${parsed.reason}.`);
  return parsed.database;
}

/** For storage: the parts that may be shown, and all of it encrypted. */
export async function encryptDatabase(
  ctx: Ctx,
  of: Omit<Stored, "database_url">,
  text: string,
  parts: ForeignDatabase,
) {
  const { password: _, ...shown } = parts;
  const context = encryptionContextOf(of.project_id, of.id);
  return { ...shown, database_url: await ctx.encryption.encryptText(ctx.db, of.project_id, context, text) };
}

function encryptionContextOf(project_id: string, id: string): string {
  return `${project_id}/${id}/database_url`;
}
