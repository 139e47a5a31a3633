import { isSuspend, NonRetryableError } from "../job-errors.ts";
import { ignoreRejection } from "./ignore-rejection.ts";
import type { RunContext } from "./run-context.ts";
import type { Session } from "./session.ts";

/** The result of a step; empty if it returned nothing. */
type StepResult = [] | [unknown];
/** When a step ran, in milliseconds since its attempt began. The service shows it in the trace of the run. */
type StepSpan = { id: string; attempt: number; from_ms: number; ms: number; failed?: true };
type State = { user: unknown; steps: Record<string, StepResult>; spans: StepSpan[] };

/** The state is sent with every dispatch, so that only the newest spans are kept. */
const MAX_SPANS = 500;

/** State shared by attempts: step results and the job's checkpoint, stored together as the run's state. */
export function openCheckpoints(
  session: Session,
  runStep: (id: string, work: () => unknown) => Promise<unknown>,
): Pick<RunContext, "step" | "checkpoint"> {
  const state = decode(session.dispatch.state);
  const began = performance.now();
  const { attempt } = session.dispatch;
  const used = new Set<string>();
  let [version, saved] = [0, 0];
  let saving: Promise<void> = Promise.resolve();

  /** Saves one after the other; several pending changes are saved together. */
  function save(): Promise<void> {
    const mine = ++version;
    const work = async () => {
      if (saved >= mine) return;
      const now = version;
      await session.post("/checkpoint", { state: encode(state) }, { safe: true });
      saved = now;
    };
    saving = saving.then(work, work);
    return saving;
  }

  async function step<T>(id: string, work: () => T | Promise<T>): Promise<T> {
    session.requireLive(`called step(${id})`);
    refuseTwice(used, id);
    const before = state.steps[id];
    if (before) return before[0] as T;
    const from_ms = Math.round(performance.now() - began);
    const span = () => ({ id, attempt, from_ms, ms: Math.round(performance.now() - began) - from_ms });
    try {
      const result = jsonOf(id, await runStep(id, work));
      state.steps[id] = result;
      record(state, span());
    } catch (error) {
      if (!isSuspend(error)) await saveFailed(span());
      throw error;
    }
    await save();
    return state.steps[id]?.[0] as T;
  }
  /** The step's own error counts, not that of this request. */
  async function saveFailed(span: StepSpan): Promise<void> {
    record(state, { ...span, failed: true });
    await save().catch(() => {});
  }
  async function set(user: unknown): Promise<void> {
    state.user = jsonOf("checkpoint", user)[0] ?? null;
    await save();
  }
  return {
    step: (id, work) => ignoreRejection(step(id, work)),
    checkpoint: {
      get: async <T>() => (state.user ?? undefined) as T | undefined,
      set: (user) => ignoreRejection(session.track(set(user))),
    },
  };
}

/** A job without steps stores its checkpoint unchanged, so that others can read it. */
function encode({ user, steps, spans }: State): unknown {
  const isPlain = spans.length === 0 && Object.keys(steps).length === 0;
  return isPlain ? user : { $steps: steps, $state: user, $spans: spans };
}

function record(state: State, span: StepSpan): void {
  state.spans = [...state.spans, span].slice(-MAX_SPANS);
}

function decode(state: unknown): State {
  const { $steps, $state, $spans } = (typeof state === "object" && state !== null ? state : {}) as {
    $steps?: Record<string, StepResult>;
    $state?: unknown;
    $spans?: StepSpan[];
  };
  if (!$steps) return { user: state ?? null, steps: {}, spans: [] };
  return { user: $state ?? null, steps: { ...$steps }, spans: $spans ?? [] };
}

/** The value after a JSON round trip, so that all attempts see the same result. */
function jsonOf(id: string, value: unknown): StepResult {
  try {
    const text = JSON.stringify(value);
    return text === undefined ? [] : [JSON.parse(text)];
  } catch (error) {
    throw new NonRetryableError(`${id}: the result is not JSON-serializable: ${String(error)}`, {
      code: "step_not_json",
    });
  }
}

function refuseTwice(used: Set<string>, id: string): void {
  if (used.has(id)) {
    throw new NonRetryableError(`Two steps have the id ${id}. In a loop, include the index in the id.`, {
      code: "duplicate_step",
    });
  }
  used.add(id);
}
