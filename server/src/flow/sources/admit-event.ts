import type { ProblemError } from "@millrace/contract/schema/problem";
import type { Ctx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { schemaIssues } from "../../platform/json-schema/compile-json-schema.ts";
import { yieldToEventLoop } from "../../platform/time-slices.ts";
import { type ChainLink, chainDepth, MAX_CHAIN_LENGTH } from "../runs/create/loop-guards.ts";
import type { EventScope } from "./match-subscriptions.ts";
import type { Cause } from "./prepare-starts.ts";
import { type LoadedSource, type SourceEventRow, writeSourceEvent } from "./source-rows.ts";

/** An event as received. */
export type IncomingEvent = Pick<
  SourceEventRow,
  | "event_id"
  | "type"
  | "via"
  | "payload"
  | "metadata"
  | "parent_run_id"
  | "replay_of"
  | "received_by"
  | "received_by_id"
> & {
  /** Its identity: another one with the same value is a duplicate. */
  identities: readonly string[];
  /** For a replay: the depth of the original. */
  chain_depth?: number;
  /** The cause, if it is not `parent_run_id`. */
  follows?: ChainLink | null;
  /** The sender reaches only subscriptions of this environment. */
  environment_id: string | null;
};

type NewEvent = Omit<SourceEventRow, "created_at">;
type Admitted = { event: NewEvent; identities: readonly string[]; scope: EventScope; cause: Cause };

/** Refuses an event that its source does not accept, and records it; otherwise prepares it for subscriptions. */
export async function admitEvent(ctx: Ctx, source: LoadedSource, incoming: IncomingEvent): Promise<Admitted> {
  if (!source.enabled)
    throw new ApiError("event_source_disabled", "The event source is disabled: it accepts no events.");
  const event = await newEvent(ctx, source, incoming);
  if (event.chain_depth > MAX_CHAIN_LENGTH) throw await rejected(ctx, event, chainTooLong(event));
  await yieldToEventLoop();
  const errors = payloadIssues(source, event.payload);
  if (errors.length > 0) throw await rejected(ctx, event, payloadRefused(errors));
  const { id, type, payload, metadata } = event;
  return {
    event,
    identities: incoming.identities,
    scope: scopeOf(source, { id: incoming.event_id ?? id, type, payload, metadata }),
    cause: {
      trigger_type: event.via === "inbound" ? "webhook" : "event",
      created_by: `event:${id}`,
      metadata: { event_source_id: source.id, source_event_id: id },
    },
  };
}

/** The event as filters and templates see it. */
export function scopeOf(
  { slug }: LoadedSource,
  { payload, ...event }: Omit<EventScope["event"], "source"> & { payload: unknown },
): EventScope {
  return { payload, event: { ...event, source: slug } };
}

export function payloadIssues({ id, revision, payload_schema }: LoadedSource, payload: unknown): ProblemError[] {
  return payload_schema ? schemaIssues(`${id}/${revision}/event`, payload_schema, payload, "body.payload") : [];
}

async function newEvent(ctx: Ctx, source: LoadedSource, incoming: IncomingEvent): Promise<NewEvent> {
  const { identities: _, environment_id: _reach, follows: _link, chain_depth, ...fields } = incoming;
  return {
    ...fields,
    id: newId(),
    project_id: source.project_id,
    source_id: source.id,
    status: "dispatched",
    error: null,
    results: [],
    ...{ matched: 0, started: 0, failed: 0 },
    chain_depth: chain_depth ?? (await depthOf(ctx, source, incoming)),
  };
}

async function depthOf(ctx: Ctx, { project_id }: LoadedSource, incoming: IncomingEvent): Promise<number> {
  const { parent_run_id, follows = parent_run_id === null ? null : { kind: "run", id: parent_run_id } } = incoming;
  return follows === null ? 1 : 1 + (await chainDepth(ctx, project_id, follows));
}

async function rejected(ctx: Ctx, event: NewEvent, apiError: ApiError): Promise<ApiError> {
  const { code, message } = apiError;
  await writeSourceEvent(ctx, { ...event, status: "rejected", error: { code, message } });
  return apiError;
}

function chainTooLong({ chain_depth }: NewEvent): ApiError {
  return new ApiError(
    "event_chain_too_long",
    `This would be event ${chain_depth} of a chain in which each caused the next: at most ${MAX_CHAIN_LENGTH} are allowed.`,
  );
}

function payloadRefused(errors: ProblemError[]): ApiError {
  const named = errors.map(({ location, message }) => `${location}: ${message}`).join("; ");
  return new ApiError("payload_invalid", `The payload does not match the schema of the event source. ${named}`, {
    errors,
  });
}
