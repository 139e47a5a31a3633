import { createHash } from "node:crypto";
import type { EventSource } from "@millrace/contract/event-sources";
import type { ChainLink } from "../../../flow/runs/create/loop-guards.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { isId } from "../../../platform/ids.ts";
import type { SignedRequest } from "../../../platform/route.ts";
import { headerOf } from "./verify-signature.ts";

const MAX_NAME_LENGTH = 255;

export type Webhook = {
  event_id: string | null;
  type: string | null;
  /** A webhook that repeats any of these names is the same event. */
  names: string[];
  follows: ChainLink | null;
};

/** The metadata of a verified webhook. */
export function readWebhook(
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
    names: [...(event_id === null ? [] : [`id:${event_id}`]), ...bytes],
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
