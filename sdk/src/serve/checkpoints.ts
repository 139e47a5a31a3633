import { NonRetryableError } from "../job-errors.ts";
import { ignoreRejection } from "./ignore-rejection.ts";
import type { RunContext } from "./run-context.ts";
import type { Session } from "./session.ts";

/** The result of a step; empty if it returned nothing. */
type StepResult = [] | [unknown];
type State = { user: unknown; steps: Record<string, StepResult> };

/** State shared by attempts: step results and the job's checkpoint, stored together as the run's state. */
export function openCheckpoints(
  session: Session,
  runStep: (id: string, work: () => unknown) => Promise<unknown>,
): Pick<RunContext, "step" | "checkpoint"> {
  const state = decode(session.dispatch.state);
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
    const result = jsonOf(id, await runStep(id, work));
    state.steps[id] = result;
    await save();
    return result[0] as T;
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
function encode({ user, steps }: State): unknown {
  return Object.keys(steps).length === 0 ? user : { $steps: steps, $state: user };
}

function decode(state: unknown): State {
  const { $steps, $state } = (typeof state === "object" && state !== null ? state : {}) as {
    $steps?: Record<string, StepResult>;
    $state?: unknown;
  };
  return $steps ? { user: $state ?? null, steps: { ...$steps } } : { user: state ?? null, steps: {} };
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
