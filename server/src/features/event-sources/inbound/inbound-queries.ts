import type { EventSource } from "@millrace/contract/event-sources";
import { sql } from "kysely";
import type { LoadedSource } from "../../../flow/sources/source-rows.ts";
import type { Ctx } from "../../../platform/context.ts";
import { isId } from "../../../platform/ids.ts";
import { decryptSecret } from "../source-secret.ts";

export type InboundSource = LoadedSource & {
  signature: EventSource["signature"];
  /** Newest first; two while the secret rotates. */
  secrets: string[];
  now_secs: number;
};

type Row = Omit<InboundSource, "secrets"> & { secret: Buffer | null; previous_secret: Buffer | null };

/** By id only, which is unique over all projects: a webhook has no credential that names a project. */
export async function findInboundSource(ctx: Ctx, id: string): Promise<InboundSource | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<Row>`
    select s.project_id, s.id, s.slug, s.enabled, s.payload_schema, s.revision, s.dedup_window_secs, s.signature, s.secret,
      case when s.previous_secret_until > clock() then s.previous_secret end as previous_secret,
      extract(epoch from clock())::float8 as now_secs
    from event_sources s join projects p on p.id = s.project_id and p.deleted_at is null
    where s.id = ${id}`.execute(ctx.db);
  if (!rows[0]) return undefined;
  const { secret, previous_secret, ...source } = rows[0];
  const encrypted = [secret, previous_secret].filter((each) => each !== null);
  const secrets = await Promise.all(encrypted.map((each) => decryptSecret(ctx, source.project_id, source.id, each)));
  return { ...source, secrets };
}
