import { endProvisionedSessions } from "../../platform/access/credentials/person-sessions.ts";
import { endAllPersonalKeys, findKeyHolders } from "../../platform/access/credentials/personal-keys.ts";
import { removeRuleMemberships } from "../../platform/access/sign-in/apply-rules.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";

type User = { subject: string | null; emails: string[] };

/**
 * Ends the sessions of users whose access was withdrawn; open streams end when they are next checked. Who was
 * deactivated also loses the memberships that rules made, and all personal keys. Who left a group signs in again, and the rules decide anew.
 */
export async function signOut(
  tx: Ctx & InTransaction,
  provider: string,
  users: readonly User[],
  because: "deactivated" | "left_group",
): Promise<void> {
  const known = users.flatMap(({ subject }) => (subject === null ? [] : [subject]));
  const emails = users.flatMap((user) => user.emails);
  const ended = await endProvisionedSessions(tx, provider, { subjects: known, emails });
  if (because === "left_group") return;
  const holders = await findKeyHolders(tx, provider, emails);
  for (const subject of new Set([...known, ...ended, ...holders])) {
    await removeRuleMemberships(tx, subject);
    await endAllPersonalKeys(tx, subject);
  }
}
