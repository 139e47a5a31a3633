import { Me } from "@millrace/contract/access/me";
import { expandScopes } from "@millrace/contract/access/scopes";
import { projectsOfMember, scopesWithin } from "../../platform/access/person.ts";
import { permissionsOf, readLineage } from "../../platform/access/policies/role-lineage.ts";
import type { Caller, CallerCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { callerRoute, type Route } from "../../platform/route.ts";

export const meRoutes: Route[] = [
  callerRoute("GET /v1/me", {
    summary: "Get the caller and its permissions",
    response: Me,
    run: (ctx) => getMe(ctx),
  }),
];

async function getMe(ctx: CallerCtx): Promise<Me> {
  const { caller, session } = ctx;
  const key = caller.kind === "api_key" ? caller : undefined;
  return {
    kind: caller.kind,
    project_id: key?.project_id ?? null,
    environment_id: key?.environment_id ?? null,
    org_id: key?.org_id ?? null,
    key_id: key?.key_id ?? (caller.kind === "member" ? (caller.key?.id ?? null) : null),
    subject: caller.kind === "member" ? caller.subject : null,
    name: caller.name,
    scopes: caller.scopes && [...caller.scopes],
    permissions: expandScopes(caller.scopes),
    memberships: caller.kind === "member" ? await readMemberships(ctx, caller) : [],
    session_expires_at: session?.expires_at ?? null,
  };
}

const MAX_MEMBERSHIPS = 100;

type MemberCaller = Extract<Caller, { kind: "member" }>;
type MembershipRow = { member_id: string; project_id: string; project_slug: string; role_id: string };

/** Memberships in all projects, since the subject is the caller. A personal key shows only its project. */
async function readMemberships(ctx: CallerCtx, caller: MemberCaller): Promise<Me["memberships"]> {
  const { rows } = await sql<MembershipRow>`
    select m.id as member_id, m.project_id, p.slug as project_slug, m.role_id
    from members m join projects p on p.id = m.project_id and p.deleted_at is null
    where m.subject = ${caller.subject} and p.id in ${projectsOfMember(caller)}
    order by p.slug limit ${MAX_MEMBERSHIPS}`.execute(ctx.db);
  const memberships: Me["memberships"] = [];
  for (const { role_id, ...row } of rows) {
    const lineage = await readLineage(ctx, row.project_id, role_id);
    const permissions = expandScopes(scopesWithin(permissionsOf(lineage), caller.key?.scopes ?? null));
    memberships.push({ ...row, role_name: lineage[0]?.name ?? "", permissions });
  }
  return memberships;
}
