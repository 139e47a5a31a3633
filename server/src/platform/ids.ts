import { randomFillSync } from "node:crypto";
import { V7Generator } from "uuidv7";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Ids are generated here and not by the database, so that a commit whose response was lost can be repeated safely. */
export function newId(): string {
  return generator.generate().toString();
}

/** Random bytes are randomPool in bulk: one call per id cost more than the rest of its generation. */
const randomPool = new Uint32Array(1_024);
let used = randomPool.length;
const generator = new V7Generator({
  nextUint32: () => {
    if (used === randomPool.length) {
      randomFillSync(randomPool);
      used = 0;
    }
    return randomPool[used++] ?? 0;
  },
});

export function isId(text: string): boolean {
  return UUID.test(text);
}

/** The smallest id that could be generated at a time: all ids generated earlier are smaller. */
export function firstIdAt(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
