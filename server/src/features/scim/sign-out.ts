import { endProvisionedSessions } from "../../platform/access/credentials/person-sessions.ts";
import { endAllPersonalKeys, findKeyHolders } from "../../platform/access/credentials/personal-keys.ts";
import { applyRulesWithoutToken, removeRuleMemberships } from "../../platform/access/sign-in/apply-rules.ts";
import { recordServiceAudit } from "../../platform/audit/record-audit.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";

type Tx = Ctx & InTransaction;
type User = { subject: string | null; emails: string[] };
export type LeftGroup = { group: string; users: User[] };

/** A deactivated person also loses the memberships that rules created, and all personal keys. */
export async function signOutDeactivated(tx: Tx, provider: string, user: User): Promise<void> {
  for (const subject of await endSessions(tx, provider, user, "deactivated or deleted")) {
    await removeRuleMemberships(tx, subject);
    await endAllPersonalKeys(tx, subject);
  }
}

/** After leaving a group that rules name: personal keys must not keep the role that the group granted. */
export async function signOutOfGroup(tx: Tx, provider: string, { group, users }: LeftGroup): Promise<void> {
  const isNamed = tx.config.sign_in.rules.some(
    (rule) => rule.group === group && (rule.provider ?? provider) === provider,
  );
  if (!isNamed) return;
  for (const user of users) {
    const subjects = await endSessions(tx, provider, user, `left the group ${group}`);
    for (const subject of subjects)
      await applyRulesWithoutToken(tx, { provider, subject, email: user.emails[0] ?? null });
  }
}

/** Returns the person's subjects in this service. Open streams end when they are next checked. */
async function endSessions(tx: Tx, provider: string, { subject, emails }: User, reason: string): Promise<Set<string>> {
  const known = subject === null ? [] : [subject];
  const ended = await endProvisionedSessions(tx, provider, { subjects: known, emails });
  const subjects = new Set([...known, ...ended, ...(await findKeyHolders(tx, provider, emails))]);
  for (const each of subjects) await auditSignOut(tx, each, `The identity provider reported: ${reason}.`);
  return subjects;
}

/** In each project that the person is a member of. */
async function auditSignOut(tx: Tx, subject: string, reason: string): Promise<void> {
  const { rows } = await sql<{ project_id: string; id: string }>`
    select m.project_id, m.id from members m join projects p on p.id = m.project_id and p.deleted_at is null
    where m.subject = ${subject} order by m.project_id`.execute(tx.db);
  for (const { project_id, id } of rows) {
    const resource = { resource_type: "member", resource_id: id };
    await recordServiceAudit(tx, project_id, { action: "member.signed_out", ...resource, after: { subject, reason } });
  }
}
