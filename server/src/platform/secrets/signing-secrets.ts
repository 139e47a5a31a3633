import type { Ctx } from "../context.ts";
import { sql } from "../database/sql.ts";
import { perService } from "../service-state.ts";

const pendingReadsOf = perService(() => new Map<string, Promise<string[]>>());

/** The columns of a project `p` that `openSecrets` reads. */
export const SIGNING_SECRETS = sql`p.webhook_secret,
  case when p.previous_webhook_secret_until > clock() then p.previous_webhook_secret end as previous_webhook_secret`;

export type EncryptedSecrets = { webhook_secret: Buffer; previous_webhook_secret: Buffer | null };

/**
 * The secrets that sign a project's outgoing requests, newest first: two during rotation. Concurrent callers share one
 * read: a hundred deliveries of one project that each read them starved each other of connections.
 */
export function readSigningSecrets(ctx: Ctx, project_id: string): Promise<string[]> {
  const inFlight = pendingReadsOf(ctx);
  const known = inFlight.get(project_id);
  if (known) return known;
  const reading = readAndOpen(ctx, project_id).finally(() => inFlight.delete(project_id));
  inFlight.set(project_id, reading);
  return reading;
}

async function readAndOpen(ctx: Ctx, project_id: string): Promise<string[]> {
  const { rows } = await sql<EncryptedSecrets>`
    /* prepared */
    select ${SIGNING_SECRETS} from projects p where p.id = ${project_id}`.executeTogether(ctx.db);
  return openSecrets(ctx, project_id, rows[0]);
}

/** Decrypts them; none of a project that does not exist. */
export function openSecrets(ctx: Ctx, project_id: string, row: EncryptedSecrets | undefined): Promise<string[]> {
  const encrypted = [row?.webhook_secret, row?.previous_webhook_secret].filter((each) => each != null);
  return Promise.all(
    encrypted.map((each) => ctx.encryption.decryptText(ctx.db, project_id, `${project_id}/webhook_secret`, each)),
  );
}
