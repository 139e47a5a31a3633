import { isDeepStrictEqual } from "node:util";
import { ProjectConfig, PutProjectConfig } from "@millrace/contract/projects/project-config";
import { refuseBoundKey } from "../../platform/access/environments.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { projectRoute, type Route } from "../../platform/route.ts";

export const projectConfigRoutes: Route[] = [
  projectRoute("GET /v1/project-config", {
    summary: "Get which objects of the project are managed as code",
    scope: "projects:read",
    response: ProjectConfig,
    run: (ctx) => getProjectConfig(ctx),
  }),
  projectRoute("PUT /v1/project-config", {
    summary: "Set which objects of the project are managed as code, or lock the list while a configuration is applied",
    scope: "projects:write",
    body: PutProjectConfig,
    response: ProjectConfig,
    errors: ["conflict"],
    run: (ctx, { body }) => putProjectConfig(ctx, body),
  }),
];

type Stored = Omit<ProjectConfig, "$schema">;

/** Renewing the lock does not change the project, so only a changed list is audited. */
async function putProjectConfig(ctx: ProjectCtx, body: PutProjectConfig): Promise<Stored> {
  refuseBoundKey(ctx.caller, "the configuration is");
  const { revision, objects, applying_by = null, applying_secs = 60 } = body;
  return inTransaction(ctx, async (tx) => {
    await lockProject(tx);
    const before = await readConfig(tx);
    if (revision !== before.revision) throw staleRevision(before);
    const isSameList = isDeepStrictEqual(objects, before.objects);
    if (isSameList && applying_by === null && before.applying_by === null) return before;
    await writeConfig(tx, { objects, applying_by, applying_secs: applying_by === null ? null : applying_secs });
    const after = await readConfig(tx);
    if (!isSameList) {
      await recordAudit(tx, {
        action: "project_config.updated",
        resource_type: "project_config",
        resource_id: tx.project_id,
        before: { objects: before.objects },
        after: { objects },
      });
    }
    return after;
  });
}

function staleRevision({ revision, applying_by }: Stored): ApiError {
  const who = applying_by === null ? "It was changed" : `${applying_by} is applying a configuration`;
  return new ApiError("conflict", `The configuration has revision ${revision}: ${who}. Read it again and repeat.`);
}

async function getProjectConfig(ctx: ProjectCtx): Promise<Stored> {
  refuseBoundKey(ctx.caller, "the configuration is");
  return readConfig(ctx);
}

async function readConfig(ctx: ProjectCtx): Promise<Stored> {
  const { rows } = await sql<Stored>`
    select project_id, revision, objects, updated_by, updated_at,
      case when applying_until > clock() then applying_by end as applying_by,
      case when applying_until > clock() then applying_until end as applying_until
    from project_configs where project_id = ${ctx.project_id}`.execute(ctx.db);
  return rows[0] ?? { ...EMPTY, project_id: ctx.project_id };
}

const EMPTY = {
  revision: 0,
  objects: [],
  applying_by: null,
  applying_until: null,
  updated_by: null,
  updated_at: null,
};

/** The row of a project that has none yet cannot be locked. */
async function lockProject(tx: ProjectCtx & InTransaction): Promise<void> {
  await sql`select 1 from projects where id = ${tx.project_id} for no key update`.execute(tx.db);
}

type Written = { objects: unknown; applying_by: string | null; applying_secs: number | null };

async function writeConfig(tx: ProjectCtx & InTransaction, written: Written): Promise<void> {
  const { objects, applying_by, applying_secs } = written;
  await sql`
    insert into project_configs as c (project_id, revision, objects, applying_by, applying_until, updated_by, updated_at)
    values (${tx.project_id}, 1, ${JSON.stringify(objects)}, ${applying_by},
      clock() + make_interval(secs => ${applying_secs}), ${tx.caller.name}, clock())
    on conflict (project_id) do update set revision = c.revision + 1, objects = excluded.objects,
      applying_by = excluded.applying_by, applying_until = excluded.applying_until,
      updated_by = excluded.updated_by, updated_at = excluded.updated_at`.execute(tx.db);
}
