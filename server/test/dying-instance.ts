import type { Ctx } from "../src/platform/context.ts";
import { newServiceState } from "../src/platform/service-state.ts";

/**
 * An instance that dies where the test says: until then it works on the same database, then it can neither ask nor
 * tell anything any more. Whatever it had planned to do after its last commit is lost, as with the process.
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
