import { SYSTEM_ROLES } from "@millrace/contract/access/roles";
import { recordServiceAudit } from "../../audit/record-audit.ts";
import type { Ctx, InTransaction } from "../../context.ts";
import { sql } from "../../database/sql.ts";
import { inTransaction } from "../../database/transaction.ts";
import { isId, newId } from "../../ids.ts";
import type { SignInRule } from "../../settings/sign-in-settings.ts";
import { invalidateMembers } from "../credentials/member-cache.ts";
import { endPersonalKeys } from "../credentials/personal-keys.ts";
import { foldEmail } from "../email-address.ts";
import type { Person } from "./exchange-code.ts";
import { readProvisioned } from "./provisioned.ts";

type Tx = Ctx & InTransaction;
type Membership = { project_id: string; id: string; role_id: string; by_rule: boolean };
type Wanted = { project_id: string; role_id: string };

/**
 * Makes a person's memberships what SIGN_IN_RULES say: the first rule for a project that applies decides the role.
 * Groups that the provider has provisioned count like those of the token. Memberships that people assigned stay as they
 * are. Returns how many memberships the person can use: none if the provider has deactivated the person.
 */
export async function applyRules(ctx: Ctx, person: Person): Promise<number> {
  return inTransaction(ctx, (tx) => applyRulesIn(tx, person));
}

type Identity = Pick<Person, "provider" | "subject" | "email">;

/** Of a person who does not sign in now: without the groups of a token, which the next sign-in brings. */
export async function applyRulesWithoutToken(tx: Tx, person: Identity): Promise<void> {
  const held = await lockMemberships(tx, person.subject);
  if (held.some(({ by_rule }) => by_rule)) await applyRulesIn(tx, { ...person, name: person.subject, groups: [] });
}

async function applyRulesIn(tx: Tx, person: Person): Promise<number> {
  const { active = true, groups = [] } = (await readProvisioned(tx, person)) ?? {};
  const wanted = active ? await rolesOf(tx, { ...person, groups: [...person.groups, ...groups] }) : [];
  const held = await lockMemberships(tx, person.subject);
  let changes = 0;
  for (const membership of held) {
    const isWanted = wanted.some(({ project_id }) => project_id === membership.project_id);
    if (membership.by_rule && !isWanted) changes += await remove(tx, person, membership);
  }
  for (const role of wanted) changes += await assign(tx, person, role, held);
  if (changes > 0) tx.afterCommit(invalidateMembers);
  if (!active) return 0;
  return held.filter(({ by_rule }) => !by_rule).length + wanted.filter((role) => !isByHand(held, role)).length;
}

/** Of a person whom the provider has deactivated. */
export async function removeRuleMemberships(tx: Tx, subject: string): Promise<void> {
  const held = (await lockMemberships(tx, subject)).filter(({ by_rule }) => by_rule);
  for (const membership of held) await remove(tx, { subject }, membership);
  if (held.length > 0) tx.afterCommit(invalidateMembers);
}

function isByHand(held: readonly Membership[], { project_id }: Wanted): boolean {
  return held.some((membership) => membership.project_id === project_id && !membership.by_rule);
}

function applies(rule: SignInRule, { provider, groups, email }: Person): boolean {
  if (rule.provider !== undefined && rule.provider !== provider) return false;
  if (rule.group !== undefined && !groups.includes(rule.group)) return false;
  if (rule.email_domain === undefined) return true;
  return email?.endsWith(`@${foldEmail(rule.email_domain)}`) === true;
}

/** A rule whose project or role does not exist grants nothing, and is reported. */
async function rolesOf(ctx: Ctx, person: Person): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for (const rule of ctx.config.sign_in.rules.filter((each) => applies(each, person))) {
    const role = await findRole(ctx, rule);
    if (!role)
      ctx.log.warn({ project: rule.project, role: rule.role }, "a rule of SIGN_IN_RULES names no role that exists");
    else if (!wanted.some(({ project_id }) => project_id === role.project_id)) wanted.push(role);
  }
  return wanted;
}

async function findRole(ctx: Ctx, { project, role }: SignInRule): Promise<Wanted | undefined> {
  const system = SYSTEM_ROLES.find(({ name }) => name === role)?.id ?? null;
  const { rows } = await sql<{ project_id: string; role_id: string | null }>`
    select p.id as project_id,
      coalesce(${system}::uuid, (select r.id from roles r where r.project_id = p.id and r.name = ${role})) as role_id
    from projects p
    where ${isId(project) ? sql`p.id = ${project}` : sql`p.slug = ${project}`} and p.deleted_at is null`.execute(
    ctx.db,
  );
  const [found] = rows;
  return found?.role_id ? { project_id: found.project_id, role_id: found.role_id } : undefined;
}

/** In the order of projects, as all sign-ins lock them. */
async function lockMemberships(tx: Tx, subject: string): Promise<Membership[]> {
  const { rows } = await sql<Membership>`
    select m.project_id, m.id, m.role_id, m.by_rule
    from members m join projects p on p.id = m.project_id and p.deleted_at is null
    where m.subject = ${subject} order by m.project_id for update of m`.execute(tx.db);
  return rows;
}

async function remove(
  tx: Tx,
  person: Pick<Person, "subject">,
  { project_id, id, role_id }: Membership,
): Promise<number> {
  await sql`delete from members where project_id = ${project_id} and id = ${id}`.execute(tx.db);
  const before = { subject: person.subject, role_id };
  await recordServiceAudit(tx, project_id, {
    action: "member.deleted",
    resource_type: "member",
    resource_id: id,
    before,
  });
  await endPersonalKeys(tx, { project_id, subject: person.subject });
  return 1;
}

async function assign(tx: Tx, person: Person, role: Wanted, held: readonly Membership[]): Promise<number> {
  const { project_id, role_id } = role;
  const before = held.find((membership) => membership.project_id === project_id);
  if (before && (!before.by_rule || before.role_id === role_id)) return 0;
  const { rows } = await sql<{ id: string }>`
    insert into members (project_id, id, subject, name, role_id, by_rule, created_by, created_at, updated_at)
    values (${project_id}, ${newId()}, ${person.subject}, ${person.name}, ${role_id}, true, 'sign-in rule', clock(), clock())
    on conflict (project_id, subject) do update set role_id = excluded.role_id, updated_at = clock()
    where members.by_rule and members.role_id <> excluded.role_id
    returning id`.execute(tx.db);
  if (!rows[0]) return 0;
  await recordServiceAudit(tx, project_id, {
    action: before ? "member.updated" : "member.created",
    ...{ resource_type: "member", resource_id: rows[0].id },
    before: before ? { subject: person.subject, role_id: before.role_id } : null,
    after: { subject: person.subject, role_id, name: person.name },
  });
  return 1;
}
