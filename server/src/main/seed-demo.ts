import { sql } from "kysely";
import { createApiKey } from "../features/api-keys/create-api-key.ts";
import { createProject } from "../features/projects/create-project.ts";
import { hashKey } from "../platform/access/key-format.ts";
import type { CallerCtx, Ctx } from "../platform/context.ts";
import { keepFirstApiKey, readFirstApiKey } from "./dev-secrets.ts";

/** On an empty database: a demo project, so that there is something to look at. Answers a key that works. */
export async function seedDemo(ctx: Ctx): Promise<string | undefined> {
  const caller: CallerCtx = {
    ...ctx,
    caller: { kind: "internal_secret", name: "millrace dev", scopes: null },
    origin: { request_id: "millrace-dev", ip: "127.0.0.1", user_agent: null, base_url: "http://localhost" },
    session: null,
  };
  if (!(await hasProjects(ctx))) return keep(ctx, await createDemo(caller));
  const kept = readFirstApiKey(ctx.config.data_dir);
  const known = kept === undefined ? undefined : await ctx.keyCache.find(ctx.db, hashKey(kept));
  return known && !known.revoked ? kept : undefined;
}

async function hasProjects(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql`select 1 from projects limit 1`.execute(ctx.db);
  return rows.length > 0;
}

async function createDemo(ctx: CallerCtx): Promise<string> {
  const project = await createProject(ctx, { name: "Demo", slug: "demo", description: "Made on the first start." });
  const { key } = await createApiKey({ ...ctx, project_id: project.id }, { name: "First key" });
  return key;
}

function keep(ctx: Ctx, key: string): string {
  keepFirstApiKey(ctx.config.data_dir, key);
  return key;
}
