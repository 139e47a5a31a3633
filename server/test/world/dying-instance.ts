import type { Ctx } from "../../src/platform/context.ts";
import { newServiceState } from "../../src/platform/service-state.ts";

/**
 * An instance that dies at a point the test chooses. Until then it works on the same database; afterwards it can send
 * no statement or notification. Work planned after its last commit is lost, as when a process dies.
 */
export function dyingInstance(living: Ctx): { ctx: Ctx; die: () => void } {
  let isDead = false;
  const db = new Proxy(living.db, {
    get(target, name) {
      if (isDead) throw Object.assign(new Error("Connection terminated"), { code: "ECONNRESET" });
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const wakeup = { ...living.wakeup, wake: () => {} };
  return {
    ctx: { ...living, db, wakeup, state: newServiceState() },
    die: () => {
      isDead = true;
    },
  };
}
