import { createContext, Script } from "node:vm";

/**
 * Runs `work` and stops it when it takes longer: it may be cut off between any two instructions, so it must change
 * nothing that outlives it. Costs 70 µs. Undefined: it was stopped.
 */
export function withinTime<T>(timeout: number, work: () => T): { value: T } | undefined {
  slot.work = work;
  try {
    return { value: script.runInContext(slot, { timeout }) as T };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  } finally {
    slot.work = undefined;
  }
}

const slot = createContext({ work: undefined }) as { work: (() => unknown) | undefined };
const script = new Script("work()");
