import { createHash } from "node:crypto";
import type { EventSource } from "@millrace/contract/events/event-sources";
import type { InboundReceived } from "@millrace/contract/events/source-events";
import type { ChainLink } from "../../../flow/runs/create/loop-guards.ts";
import { dispatchEvent } from "../../../flow/sources/dispatch-event.ts";
import type { LoadedSource } from "../../../flow/sources/source-rows.ts";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import { isId } from "../../../platform/ids.ts";
import type { SignedRequest } from "../../../platform/route.ts";
import { decryptSecret } from "../source-secret.ts";
import { headerOf, verifySignature } from "./verify-signature.ts";

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

const MAX_NAME_LENGTH = 255;

type Webhook = {
  event_id: string | null;
  type: string | null;
  /** A webhook that repeats any of these identities is the same event. */
  identities: string[];
  follows: ChainLink | null;
};

/** The metadata of a verified webhook. */
function readWebhook(
  signature: EventSource["signature"],
  { headers }: SignedRequest,
  payload: unknown,
  signed: Buffer,
): Webhook {
  const fields = isObject(payload) ? payload : {};
  const isGithub = signature === "github";
  const id = isGithub
    ? headerOf(headers, "x-github-delivery")
    : signature === "stripe"
      ? fields.id
      : headerOf(headers, "webhook-id");
  const event_id = shortText(id);
  if (isGithub && event_id === null)
    throw new ApiError("bad_request", "header.X-GitHub-Delivery: is required to identify the delivery.");
  // GitHub does not sign its id, so the signed bytes identify the delivery too.
  const bytes = [`signed:${createHash("sha256").update(signed).digest("hex")}`];
  return {
    event_id,
    type: shortText(isGithub ? headerOf(headers, "x-github-event") : fields.type),
    identities: [...(event_id === null ? [] : [`id:${event_id}`]), ...bytes],
    follows: callerOf(headerOf(headers, "x-svc-run-id"), fields),
  };
}

/** The run that sent it: from the header that jobs are called with, or from a notification of this service. */
function callerOf(run_id: string | undefined, { type, data }: Record<string, unknown>): ChainLink | null {
  if (run_id !== undefined && isId(run_id)) return { kind: "run", id: run_id };
  if (typeof type !== "string" || !isObject(data)) return null;
  const [kind] = type.split(".", 1);
  const links: [string | undefined, unknown, ChainLink["kind"]][] = [
    ["run", data.id, "run"],
    ["workflow_run", data.id, "workflow_run"],
    ["event_trigger", data.job_run_id, "run"],
    ["event_trigger", data.workflow_run_id, "workflow_run"],
  ];
  const found = links.find(([name, id]) => name === kind && typeof id === "string" && isId(id));
  return found ? { kind: found[2], id: found[1] as string } : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shortText(value: unknown): string | null {
  return typeof value === "string" && value.length >= 1 && value.length <= MAX_NAME_LENGTH ? value : null;
}
