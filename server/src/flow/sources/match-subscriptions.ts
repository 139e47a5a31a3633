import { LRUCache } from "lru-cache";
import { type CelType, type CompiledCel, compileCondition } from "../../platform/cel/cel.ts";
import { yieldToEventLoop } from "../../platform/time-slices.ts";
import { type Rendered, renderTemplate, renderText } from "../templates/render-template.ts";
import type { Subscription } from "./source-rows.ts";

/** An event as filters and templates see it. */
export type EventScope = {
  payload: unknown;
  event: { id: string; type: string | null; source: string; metadata: Record<string, unknown> };
};

/** What decides how a subscription handles an event. */
type Rule = Pick<Subscription, "enabled" | "filter" | "payload" | "concurrency_key">;

export type Match<R extends Rule = Subscription> = { subscription: R } & (
  | { kind: "matched"; payload: unknown; concurrency_key: string | null }
  | { kind: "not_matched" | "disabled" }
  | { kind: "failed"; matched: boolean; error: { code: string; message: string } }
);

/** The names that filters and templates can read; saving checks against the same ones. */
const FILTER_VARIABLES = { payload: "dyn", event: "map" } as const satisfies Record<keyof EventScope, CelType>;
export const TEMPLATE_ROOTS = Object.keys(FILTER_VARIABLES);

/** For all filters of an event together: one may take 10 ms, and there may be a thousand. */
const MAX_FILTERS_MS = 2_000;
/** Limit for all payloads of one event together: they are written in one transaction. */
const MAX_BYTES = 32 * 1_048_576;

/** Evaluates the filter and payload template of each subscription. Yields to the event loop in between. */
export async function matchSubscriptions(subscriptions: readonly Subscription[], scope: EventScope): Promise<Match[]> {
  const matches: Match[] = [];
  const sizes = new Map<unknown, number>();
  let [spentMs, bytes] = [0, 0];
  for (const subscription of subscriptions) {
    await yieldToEventLoop();
    const began = performance.now();
    let match = spentMs > MAX_FILTERS_MS ? failed(subscription, false, TOO_SLOW) : matchOne(subscription, scope);
    if (match.kind === "matched") bytes += sizeOf(match.payload, sizes);
    if (match.kind === "matched" && bytes > MAX_BYTES) match = failed(subscription, true, TOO_LARGE);
    matches.push(match);
    spentMs += performance.now() - began;
  }
  return matches;
}

const TOO_SLOW = {
  code: "filter_failed",
  message: `Earlier filters took more than ${MAX_FILTERS_MS / 1_000} seconds, so this one was not evaluated.`,
};
const TOO_LARGE = {
  code: "payload_too_large",
  message: `The payloads of all runs started by this event exceed ${MAX_BYTES / 1_048_576} MB in total.`,
};

export function matchOne<R extends Rule>(subscription: R, scope: EventScope): Match<R> {
  if (!subscription.enabled) return { subscription, kind: "disabled" };
  const passed = applyFilter(subscription.filter, scope);
  if (!passed.ok) return failed(subscription, false, { code: "filter_failed", message: passed.message });
  if (!passed.value) return { subscription, kind: "not_matched" };
  const payload =
    subscription.payload === null ? { ok: true as const, value: scope.payload } : render(subscription, scope);
  if (!payload.ok) return notRendered(subscription, payload);
  const key = subscription.concurrency_key;
  const concurrency_key = key === null ? { ok: true as const, value: null } : renderText(key, scope, "concurrency_key");
  if (!concurrency_key.ok) return notRendered(subscription, concurrency_key);
  if (concurrency_key.value !== null && !/^.{1,256}$/su.test(concurrency_key.value)) {
    return failed(subscription, true, {
      code: "invalid_concurrency_key",
      message: "It must have 1 to 256 characters.",
    });
  }
  return { subscription, kind: "matched", payload: payload.value, concurrency_key: concurrency_key.value };
}

function render({ payload }: Rule, scope: EventScope): Rendered<unknown> {
  return renderTemplate(payload, scope, "payload");
}

function applyFilter(filter: string | null, scope: EventScope) {
  if (filter === null) return { ok: true, value: true } as const;
  const compiled = compileFilter(filter);
  return compiled.ok ? compiled.evaluate(scope) : compiled;
}

const compiledFilters = new LRUCache<string, CompiledCel<boolean>>({ max: 10_000 });

/** Compiled once, shared by all callers. */
export function compileFilter(source: string): CompiledCel<boolean> {
  const known = compiledFilters.get(source);
  if (known) return known;
  const compiled = compileCondition(source, { variables: FILTER_VARIABLES });
  compiledFilters.set(source, compiled);
  return compiled;
}

function notRendered<R extends Rule>(
  subscription: R,
  { problem }: Extract<Rendered<unknown>, { ok: false }>,
): Match<R> {
  const message = `${problem.location} cannot be rendered: ${problem.message}`;
  return failed(subscription, true, { code: problem.code, message });
}

function failed<R extends Rule>(subscription: R, matched: boolean, error: { code: string; message: string }): Match<R> {
  return { subscription, kind: "failed", matched, error };
}

/** The payload of the event itself is measured once. */
function sizeOf(payload: unknown, sizes: Map<unknown, number>): number {
  const size = sizes.get(payload) ?? Buffer.byteLength(JSON.stringify(payload));
  sizes.set(payload, size);
  return size;
}
