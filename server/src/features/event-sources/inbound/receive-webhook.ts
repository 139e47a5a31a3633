import type { EventSource } from "@millrace/contract/event-sources";
import type { InboundReceived } from "@millrace/contract/source-events";
import { sql } from "kysely";
import { dispatchEvent } from "../../../flow/sources/dispatch-event.ts";
import type { LoadedSource } from "../../../flow/sources/source-rows.ts";
import type { Ctx } from "../../../platform/context.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import { isId } from "../../../platform/ids.ts";
import type { SignedRequest } from "../../../platform/route.ts";
import { decryptSecret } from "../source-secret.ts";
import { readWebhook } from "./read-webhook.ts";
import { verifySignature } from "./verify-signature.ts";

/** A webhook from outside: only a sender who signs with the secret of the source is accepted. */
export async function receiveWebhook(
  ctx: Ctx,
  id: string,
  payload: unknown,
  request: SignedRequest,
): Promise<InboundReceived> {
  const source = await findInboundSource(ctx, id);
  if (!source || source.signature === "none") throw notFound("event source");
  const signed = verifySignature(source.signature, source.secrets, request, source.now_secs);
  if (!signed) {
    throw new ApiError(
      "signature_invalid",
      "The signature of the webhook is missing or wrong, or its time is off by more than 300 seconds.",
    );
  }
  const webhook = readWebhook(source.signature, request, payload, signed);
  const { event, is_duplicate } = await dispatchEvent(ctx, source, {
    ...webhook,
    via: "inbound",
    payload: payload ?? {},
    metadata: {},
    parent_run_id: webhook.follows?.kind === "run" ? webhook.follows.id : null,
    replay_of: null,
    received_by: "webhook",
    received_by_id: null,
    environment_id: null,
  });
  return { received: true, id: event.id, duplicate: is_duplicate };
}

type InboundSource = LoadedSource & {
  signature: EventSource["signature"];
  /** Newest first; two while the secret rotates. */
  secrets: string[];
  now_secs: number;
};

type Row = Omit<InboundSource, "secrets"> & { secret: Buffer | null; previous_secret: Buffer | null };

/** By id only, which is unique over all projects: a webhook has no credential that names a project. */
async function findInboundSource(ctx: Ctx, id: string): Promise<InboundSource | undefined> {
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
