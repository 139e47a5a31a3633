import { projectsOfMember } from "../../platform/access/person.ts";
import type { CallerCtx, Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

export type ProjectRow = {
  id: string;
  org_id: string | null;
  slug: string;
  name: string;
  description: string | null;
  max_active_event_triggers: number | null;
  compute_rate_microusd_per_sec: number;
  created_at: string;
  updated_at: string;
};

const COLUMNS = sql`p.id, p.org_id, p.slug, p.name, p.description, p.max_active_event_triggers,
  p.compute_rate_microusd_per_sec, p.created_at, p.updated_at`;

/** A key sees its own project, and with an org every project of it; the internal secret sees all. */
function mayRead({ caller }: CallerCtx): Sql {
  if (caller.kind === "internal_secret") return sql`true`;
  if (caller.kind === "member") return sql`p.id in ${projectsOfMember(caller)}`;
  if (caller.org_id === null) return sql`p.id = ${caller.project_id}`;
  return sql`(p.id = ${caller.project_id} or p.org_id = ${caller.org_id})`;
}

/** An org lets a key read, but never write, beyond its own project. */
function mayWrite({ caller }: CallerCtx): Sql {
  return caller.kind === "internal_secret" ? sql`true` : sql`p.id = ${caller.project_id}`;
}

function named(ref: string): Sql {
  return isId(ref) ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
}

export async function getProject(ctx: CallerCtx, ref: string): Promise<ProjectRow> {
  const { rows } = await sql<ProjectRow>`
    select ${COLUMNS} from projects p
    where ${named(ref)} and p.deleted_at is null and ${mayRead(ctx)}`.execute(ctx.db);
  if (!rows[0]) throw notFound("project");
  return rows[0];
}

/** Locks the project for an update. */
export async function lockProject(ctx: CallerCtx & InTransaction, ref: string): Promise<ProjectRow | undefined> {
  const { rows } = await sql<ProjectRow>`
    select ${COLUMNS} from projects p
    where ${named(ref)} and p.deleted_at is null and ${mayWrite(ctx)} for no key update`.execute(ctx.db);
  return rows[0];
}

export async function listProjects(ctx: CallerCtx, page: Page): Promise<ProjectRow[]> {
  const { rows } = await sql<ProjectRow>`
    select ${COLUMNS} from projects p
    where p.deleted_at is null and ${mayRead(ctx)} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export type NewProject = Omit<ProjectRow, "created_at" | "updated_at"> & {
  wrapped_data_key: Buffer;
  webhook_secret: Buffer;
};

/** Undefined: the slug is taken. */
export async function insertProject(ctx: Ctx & InTransaction, project: NewProject): Promise<ProjectRow | undefined> {
  const { rows } = await sql<ProjectRow>`
    insert into projects as p (id, org_id, slug, name, description, max_active_event_triggers,
      compute_rate_microusd_per_sec, wrapped_data_key, webhook_secret, created_at, updated_at)
    values (${project.id}, ${project.org_id}, ${project.slug}, ${project.name}, ${project.description},
      ${project.max_active_event_triggers}, ${project.compute_rate_microusd_per_sec}, ${project.wrapped_data_key},
      ${project.webhook_secret}, clock(), clock())
    on conflict (slug) where deleted_at is null do nothing
    returning ${COLUMNS}`.execute(ctx.db);
  return rows[0];
}

export async function updateProjectRow(ctx: Ctx & InTransaction, project: ProjectRow): Promise<ProjectRow | undefined> {
  const { rows } = await sql<ProjectRow>`
    update projects p set org_id = ${project.org_id}, slug = ${project.slug}, name = ${project.name},
      description = ${project.description}, max_active_event_triggers = ${project.max_active_event_triggers},
      compute_rate_microusd_per_sec = ${project.compute_rate_microusd_per_sec}, updated_at = clock()
    where p.id = ${project.id} and p.deleted_at is null
    returning ${COLUMNS}`.execute(ctx.db);
  return rows[0];
}

/**
 * Dispatches that ended before a rate change keep their price. Of two changes within a millisecond, the first rate
 * stays.
 */
export async function keepOldRate(ctx: Ctx & InTransaction, before: ProjectRow): Promise<void> {
  await sql`
    insert into compute_rate_changes (project_id, until, compute_rate_microusd_per_sec)
    values (${before.id}, clock(), ${before.compute_rate_microusd_per_sec})
    on conflict (project_id, until) do nothing`.execute(ctx.db);
}

/** The row stays: its audit chain outlives the project, and its keys are rejected with a specific error. */
export async function markProjectDeleted(ctx: Ctx & InTransaction, id: string): Promise<void> {
  await sql`
    update projects set deleted_at = clock(), updated_at = clock()
    where id = ${id} and deleted_at is null`.execute(ctx.db);
}

export async function replaceWebhookSecret(
  ctx: Ctx & InTransaction,
  id: string,
  secret: Buffer,
  graceMinutes: number,
): Promise<{ previous_secret_expires_at: string | null }> {
  const { rows } = await sql<{ previous_secret_expires_at: string | null }>`
    update projects set webhook_secret = ${secret}, updated_at = clock(),
      previous_webhook_secret = case when ${graceMinutes}::int > 0 then webhook_secret end,
      previous_webhook_secret_until =
        case when ${graceMinutes}::int > 0 then clock() + ${graceMinutes}::int * interval '1 minute' end
    where id = ${id} and deleted_at is null
    returning previous_webhook_secret_until as previous_secret_expires_at`.execute(ctx.db);
  return rows[0] ?? { previous_secret_expires_at: null };
}
