import { createApiKey } from "../features/api-keys/create-api-key.ts";
import { createProject } from "../features/projects/create-project.ts";
import { hashKey } from "../platform/access/credentials/key-format.ts";
import type { CallerCtx, Ctx } from "../platform/context.ts";
import { sql } from "../platform/database/sql.ts";
import type { Config } from "../platform/settings/config.ts";

type FirstProject = NonNullable<Config["first_project"]>;

/** Enough for one busy worker behind one address: 2,000 a second. */
const PER_MINUTE = 120_000;
const FIRST_LIMITS = {
  requests_per_minute: PER_MINUTE,
  triggers_per_minute: PER_MINUTE,
  bulk_per_minute: PER_MINUTE,
};

/**
 * Creates a first project with the key and the signing secret of the settings, on a database without projects. Two
 * instances may start at once, and a start may be interrupted between project and key: the next one completes it.
 */
export async function createFirstProject(ctx: Ctx): Promise<void> {
  const { first_project } = ctx.config;
  if (!first_project) return;
  for (let attempt = 1; !(await isKnown(ctx, first_project.api_key)); attempt++) {
    try {
      return await create(serviceCtx(ctx), first_project);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    } finally {
      ctx.keyCache.clear(); // it has cached the key as unknown
    }
  }
}

/** Another instance may be first to create the project, and then the key. */
const MAX_ATTEMPTS = 3;

async function create(ctx: CallerCtx, { api_key, signing_secret }: FirstProject): Promise<void> {
  const project_id = (await emptyProject(ctx)) ?? (await newProject(ctx, signing_secret));
  if (project_id === undefined) return;
  await createApiKey({ ...ctx, project_id }, { name: "First key", rate_limits: FIRST_LIMITS }, api_key);
}

async function isKnown(ctx: Ctx, key: string): Promise<boolean> {
  return (await ctx.keyCache.find(ctx.db, hashKey(key))) !== undefined;
}

/** The only project, if it has no key yet: an interrupted start left it. */
async function emptyProject(ctx: Ctx): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select p.id from projects p
    where not exists (select from projects other where other.id <> p.id)
      and not exists (select from api_keys k where k.project_id = p.id)`.execute(ctx.db);
  return rows[0]?.id;
}

async function newProject(caller: CallerCtx, signing_secret: string): Promise<string | undefined> {
  const { rows } = await sql`select 1 from projects limit 1`.execute(caller.db);
  if (rows.length > 0) return undefined;
  return (await createProject(caller, { name: "Main", slug: "main" }, signing_secret)).id;
}

function serviceCtx(ctx: Ctx): CallerCtx {
  return {
    ...ctx,
    caller: { kind: "internal_secret", name: "millrace serve", scopes: null },
    origin: { request_id: "millrace-serve", ip: "127.0.0.1", user_agent: null, base_url: "http://localhost" },
    session: null,
  };
}
