import type { Scope } from "@millrace/contract/access/scopes";
import { MAX_TOPICS } from "@millrace/contract/deliveries/streams";
import { eventKeyIssue } from "../../flow/waits/event-keys.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";

/** A requested topic: all objects of a kind, or one object by its id or key. */
export type Topic = { name: string; kind: TopicKind; id: string };
export type TopicKind = keyof typeof KINDS;

/** `names`: what follows the colon; undefined for a topic of all objects. */
const KINDS = {
  runs: { scope: "runs:read", names: undefined },
  run: { scope: "runs:read", names: "id" },
  run_logs: { scope: "runs:read", names: "id" },
  workflow_runs: { scope: "workflows:read", names: undefined },
  workflow_run: { scope: "workflows:read", names: "id" },
  events: { scope: "events:read", names: undefined },
  event: { scope: "events:read", names: "key" },
  webhook_deliveries: { scope: "webhooks:read", names: undefined },
  webhook_delivery: { scope: "webhooks:read", names: "id" },
  batches: { scope: "runs:read", names: undefined },
  batch: { scope: "runs:read", names: "id" },
} as const satisfies Record<string, { scope: Scope; names: "id" | "key" | undefined }>;

export function readTopics(text: string): Topic[] {
  const names = [...new Set(text.split(","))];
  if (names.length > MAX_TOPICS) throw unknown(text, `has ${names.length} topics; the maximum is ${MAX_TOPICS}`);
  return names.map(readTopic);
}

export function scopeOf({ kind }: Topic): Scope {
  return KINDS[kind].scope;
}

function readTopic(name: string): Topic {
  const colon = name.indexOf(":");
  const kind = colon < 0 ? name : name.slice(0, colon);
  if (!Object.hasOwn(KINDS, kind))
    throw unknown(name, `is not a topic; the topics are ${Object.keys(KINDS).join(", ")}`);
  const { names } = KINDS[kind as TopicKind];
  const rest = colon < 0 ? "" : name.slice(colon + 1);
  if ((names === undefined) !== colon < 0) {
    throw unknown(
      name,
      names ? `${kind} needs the ${names} of an object after a colon` : `${kind} does not take an id`,
    );
  }
  if (names === "id" && !isId(rest)) throw unknown(name, "has an id that is not a UUID");
  return { name, kind: kind as TopicKind, id: names === "key" ? readKey(name, rest) : rest };
}

/** Percent-encoded once more than the query itself, because a key may contain a comma. */
function readKey(name: string, encoded: string): string {
  const key = decode(name, encoded);
  if (eventKeyIssue(key) !== undefined) throw unknown(name, "has an invalid event key");
  return key;
}

function decode(name: string, encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw unknown(name, "has a key that is not percent-encoded");
  }
}

function unknown(value: string, message: string) {
  return invalid("query.topics", message, value);
}
