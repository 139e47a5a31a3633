import { ADMIN_ROLE_ID } from "@millrace/contract/access/roles";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { ApiError } from "../../platform/errors/errors.ts";

/** Taken before any member's lock: if two administrators leave at once, the second finds that the first has left. */
export async function lockAdmins(tx: ProjectCtx & InTransaction): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select m.id from members m
    where m.project_id = ${tx.project_id} and m.role_id = ${ADMIN_ROLE_ID} order by m.id for update`.execute(tx.db);
  return rows.map(({ id }) => id);
}

/**
 * Without an administrator, nobody could add people. The internal secret may remove the last one, since it can add
 * another. Removals by identity providers do not pass through here.
 */
export function refuseLastAdmin(
  { caller }: ProjectCtx,
  admins: readonly string[],
  { id, subject }: { id: string; subject: string },
): void {
  if (caller.kind === "internal_secret" || admins.length !== 1 || admins[0] !== id) return;
  throw new ApiError("last_admin", `${subject} is the only administrator of the project.`);
}
