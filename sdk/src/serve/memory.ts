import { NonRetryableError } from "../job-errors.ts";
import { quiet } from "./quiet.ts";
import type { RunContext } from "./run-context.ts";
import type { Session } from "./session.ts";

/** The result of a step: empty when it gave nothing. */
type Kept = [] | [unknown];
type State = { user: unknown; steps: Record<string, Kept> };

/** What later attempts know: the results of steps and the job's own checkpoint, kept together as the state of the run. */
export function openMemory(session: Session): Pick<RunContext, "step" | "checkpoint"> {
  const state = decode(session.dispatch.state);
  const used = new Set<string>();
  let [version, saved] = [0, 0];
  let saving: Promise<void> = Promise.resolve();

  /** Saves follow each other; one that stands for several changes is made once. */
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
    const result = jsonOf(id, await work());
    state.steps[id] = result;
    await save();
    return result[0] as T;
  }
  async function set(user: unknown): Promise<void> {
    state.user = jsonOf("checkpoint", user)[0] ?? null;
    await save();
  }
  return {
    step: (id, work) => quiet(step(id, work)),
    checkpoint: {
      get: async <T>() => (state.user ?? undefined) as T | undefined,
      set: (user) => quiet(session.track(set(user))),
    },
  };
}

/** A job that has no steps keeps its checkpoint as it is, for others to read. */
function encode({ user, steps }: State): unknown {
  return Object.keys(steps).length === 0 ? user : { $steps: steps, $state: user };
}

function decode(state: unknown): State {
  const { $steps, $state } = (typeof state === "object" && state !== null ? state : {}) as {
    $steps?: Record<string, Kept>;
    $state?: unknown;
  };
  return $steps ? { user: $state ?? null, steps: { ...$steps } } : { user: state ?? null, steps: {} };
}

/** What a later attempt would get, so that the first one gets the same. */
function jsonOf(id: string, value: unknown): Kept {
  try {
    const text = JSON.stringify(value);
    return text === undefined ? [] : [JSON.parse(text)];
  } catch (error) {
    throw new NonRetryableError(`${id}: the result cannot be kept as JSON: ${String(error)}`, {
      code: "step_not_json",
    });
  }
}

function refuseTwice(used: Set<string>, id: string): void {
  if (used.has(id)) {
    throw new NonRetryableError(`Two steps have the id ${id}. In a loop, put the index into it.`, {
      code: "duplicate_step",
    });
  }
  used.add(id);
}
