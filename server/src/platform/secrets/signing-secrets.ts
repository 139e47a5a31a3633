import type { Ctx } from "../context.ts";
import { sql } from "../database/sql.ts";
import { perService } from "../service-state.ts";

const pendingReadsOf = perService(() => new Map<string, Promise<string[]>>());

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
  const { rows } = await sql<{ webhook_secret: Buffer; previous_webhook_secret: Buffer | null }>`
    select webhook_secret,
      case when previous_webhook_secret_until > clock() then previous_webhook_secret end as previous_webhook_secret
    from projects where id = ${project_id}`.execute(ctx.db);
  const encrypted = [rows[0]?.webhook_secret, rows[0]?.previous_webhook_secret].filter((each) => each != null);
  return Promise.all(
    encrypted.map((each) => ctx.encryption.decryptText(ctx.db, project_id, `${project_id}/webhook_secret`, each)),
  );
}
