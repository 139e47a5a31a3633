import { type Duration, durationSecs } from "../duration.ts";
import type { StepInput } from "../generated/schemas.ts";
import { printRefs, refTo } from "./refs.ts";

type Scope = { payload: unknown; out: unknown; output: unknown; item: unknown; index: number };
type Template = (refs: Scope) => unknown;

/** The options of every type of step, as passed to the builder. */
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

/** Prints a step for the API. Omitted options are not printed. */
export function printStep(step: StepInput, options: AnyStepOptions = {}): StepInput {
  const { compensate, emitBuffer, timeout } = options;
  return printRefs({
    ...step,
    depends_on: options.after?.length ? [...options.after] : undefined,
    payload: render(options.payload),
    items: render(options.items),
    event_key: render(options.key),
    timeout_secs: timeout && durationSecs(timeout),
    max_attempts: options.maxAttempts,
    priority: options.priority,
    concurrency_key: render(options.concurrencyKey),
    event_emit_key: render(options.emit),
    event_emit_buffer_secs: emitBuffer && durationSecs(emitBuffer),
    compensate_job_id: typeof compensate === "object" ? compensate.id : compensate,
    notify_url: options.notifyUrl,
    approvers: options.approvers,
    message: render(options.message),
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

function render(template: string | Template | undefined): unknown {
  return typeof template === "function" ? template(SCOPE) : template;
}
