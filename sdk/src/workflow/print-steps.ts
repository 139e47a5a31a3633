import { type Duration, durationSecs } from "../duration.ts";
import type { StepInput } from "../generated/schemas.ts";
import { printRefs, refTo } from "./refs.ts";

type Scope = { payload: unknown; out: unknown; output: unknown; item: unknown; index: number };
type Template = (refs: Scope) => unknown;

/** The options of every kind of step, as they come from the builder. */
export type AnyStepOptions = {
  after?: readonly string[];
  onFailure?: NonNullable<StepInput["on_failure"]>;
  condition?: string;
  payload?: Template;
  items?: Template;
  key?: Template;
  emit?: Template;
  concurrencyKey?: Template;
  message?: string | Template;
  emitBuffer?: Duration;
  timeout?: Duration;
  maxAttempts?: number;
  priority?: number;
  maxParallel?: number;
  tolerateFailures?: number | boolean;
  approvers?: string[];
  notifyUrl?: string;
  compensate?: { id: string } | string;
};

/** A step as the service takes it. What was not said is not printed. */
export function printStep(step: StepInput, options: AnyStepOptions = {}): StepInput {
  const { compensate, emitBuffer, timeout } = options;
  return printRefs({
    ...step,
    depends_on: options.after?.length ? [...options.after] : undefined,
    payload: asked(options.payload),
    items: asked(options.items),
    event_key: asked(options.key),
    timeout_secs: timeout && durationSecs(timeout),
    max_attempts: options.maxAttempts,
    priority: options.priority,
    concurrency_key: asked(options.concurrencyKey),
    event_emit_key: asked(options.emit),
    event_emit_buffer_secs: emitBuffer && durationSecs(emitBuffer),
    compensate_job_id: typeof compensate === "object" ? compensate.id : compensate,
    notify_url: options.notifyUrl,
    approvers: options.approvers,
    message: asked(options.message),
    max_parallel: options.maxParallel,
    tolerate_failures: options.tolerateFailures,
    on_failure: options.onFailure,
    condition: options.condition,
  }) as StepInput;
}

const SCOPE: Scope = {
  payload: refTo("payload"),
  out: refTo("parent_outputs"),
  output: refTo("output"),
  item: refTo("item"),
  index: refTo("index"),
};

function asked(template: string | Template | undefined): unknown {
  return typeof template === "function" ? template(SCOPE) : template;
}
