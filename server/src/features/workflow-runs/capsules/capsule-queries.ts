import type { CapsuleSummary } from "@millrace/contract/workflows/capsules";
import { visible } from "../../../platform/access/policies/visibility.ts";
import { actorOf } from "../../../platform/actor.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { isId } from "../../../platform/ids.ts";
import type { Page } from "../../../platform/listing/page.ts";

export type CapsuleRow = Omit<CapsuleSummary, "$schema">;

const COLUMNS = sql`c.id, c.project_id, c.environment_id, c.workflow_run_id, c.workflow_id, c.workflow_slug,
  c.workflow_name, c.version, c.status, c.sha256, c.size_bytes, c.created_by, c.created_by_id, c.created_at`;

type NewCapsule = Omit<CapsuleRow, "project_id" | "created_at" | "created_by" | "created_by_id"> & { document: string };

export async function insertCapsule(ctx: ProjectCtx & InTransaction, capsule: NewCapsule): Promise<CapsuleRow> {
  const { id, environment_id, workflow_run_id, workflow_id, workflow_slug, workflow_name } = capsule;
  const { version, status, sha256, document, size_bytes } = capsule;
  const { rows } = await sql<CapsuleRow>`
    insert into run_capsules as c (project_id, id, environment_id, workflow_run_id, workflow_id, workflow_slug,
      workflow_name, version, status, sha256, document, size_bytes, created_by, created_by_id, created_at)
    values (${ctx.project_id}, ${id}, ${environment_id}, ${workflow_run_id}, ${workflow_id}, ${workflow_slug},
      ${workflow_name}, ${version}, ${status}, ${sha256}, ${document}, ${size_bytes}, ${ctx.caller.name}, ${actorOf(ctx.caller).id}, clock())
    returning ${COLUMNS}`.execute(ctx.db);
  if (!rows[0]) throw new Error("a capsule was not written");
  return rows[0];
}

export async function listCapsuleRows(ctx: ProjectCtx, page: Page): Promise<CapsuleRow[]> {
  const { rows } = await sql<CapsuleRow>`
    select ${COLUMNS} from run_capsules c
    where c.project_id = ${ctx.project_id} and ${visible(ctx, "run_capsules", "c")} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export async function findCapsuleDocument(ctx: ProjectCtx, id: string): Promise<string | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<{ document: string }>`
    select c.document from run_capsules c
    where c.project_id = ${ctx.project_id} and c.id = ${id} and ${visible(ctx, "run_capsules", "c")}`.execute(ctx.db);
  return rows[0]?.document;
}

export async function removeCapsule(ctx: ProjectCtx & InTransaction, id: string): Promise<CapsuleRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<CapsuleRow>`
    delete from run_capsules c
    where c.project_id = ${ctx.project_id} and c.id = ${id} and ${visible(ctx, "run_capsules", "c")}
    returning ${COLUMNS}`.execute(ctx.db);
  return rows[0];
}

/** Includes deleted workflows: their runs stay readable. */
export async function nameWorkflow(ctx: ProjectCtx, id: string): Promise<{ id: string; slug: string; name: string }> {
  const { rows } = await sql<{ id: string; slug: string; name: string }>`
    select id, slug, name from workflows where project_id = ${ctx.project_id} and id = ${id}`.execute(ctx.db);
  if (!rows[0]) throw new Error(`there is no workflow ${id}`);
  return rows[0];
}
