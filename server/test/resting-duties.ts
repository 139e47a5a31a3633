import type { Ctx } from "../src/platform/context.ts";
import type { Loop } from "../src/platform/loop.ts";
import type { TestConnection } from "./database.ts";
import { type Glance, glanceAt, listTables } from "./filled-tables.ts";
import { watchAllStatements } from "./watch-statements.ts";

/** What is known of the duties, of a service with these settings. */
type Known = {
  /** What a duty reads when it finds nothing, as seen in a turn in which all of that was empty. */
  readsOf: Map<Loop, ReadonlySet<string>>;
  /** Those that read something else than rows: their turns are always taken. */
  restless: Set<Loop>;
  /** Those that keep a place in a log: it begins with their first turn in a database. */
  beginners: Set<Loop>;
};

const knownWith = new Map<string, Known>();

function knownOf({ config }: Ctx): Known {
  const settings = JSON.stringify(config);
  const known = knownWith.get(settings) ?? { readsOf: new Map(), restless: new Set(), beginners: new Set() };
  knownWith.set(settings, known);
  return known;
}

const PLACES = "log_cursors";

/** Rows in them alone give no duty anything to do that looks into other tables as well. */
const GROUND = new Set(["projects", PLACES]);

/**
 * Makes the function that takes turns of duties until they have no more to do. A turn over empty tables is not taken
 * again: it would do what it did before, nothing. Which tables those are is heard from the duty's own statements, so
 * each is seen to bear an empty database once in every process.
 */
export function openStepAll(ctx: Ctx, connection: TestConnection) {
  const { readsOf, restless, beginners } = knownOf(ctx);
  /** Those that have met rows, whose next turn may have to forget them; and those whose place in a log begins with a turn. */
  const awake = new Set([...readsOf.keys()].filter((loop) => beginners.has(loop)));

  async function learn(loop: Loop, before: Glance): Promise<boolean> {
    const texts: string[] = [];
    let isOver = false;
    const db = watchAllStatements(ctx.db, (text) => void (isOver || texts.push(text)));
    const hasMore = await loop.runOnce({ ...ctx, db });
    isOver = true;
    const reads = readsIn(texts, await listTables(connection));
    if (!reads) restless.add(loop);
    if (texts.some((text) => text.includes(PLACES))) beginners.add(loop);
    if (reads && isEmpty(reads, before) && isEmpty(reads, await glanceAt(connection))) readsOf.set(loop, reads);
    return hasMore;
  }

  function mayRest(loop: Loop, glance: Glance): boolean {
    const reads = readsOf.get(loop);
    if (!reads) return false;
    if (!isEmpty(reads, glance)) {
      awake.add(loop);
      return false;
    }
    return !awake.delete(loop);
  }

  return async (loops: readonly Loop[], glance: Glance): Promise<void> => {
    for (const loop of loops) {
      if (mayRest(loop, glance)) continue;
      const isKnown = readsOf.has(loop) || restless.has(loop);
      while (await (isKnown ? loop.runOnce(ctx) : learn(loop, glance)));
    }
  };
}

function isEmpty(tables: ReadonlySet<string>, { filled }: Glance): boolean {
  return [...tables].every((table) => !filled.has(table));
}

/** Undefined when a turn depends on something else than the rows of tables. */
function readsIn(texts: readonly string[], tables: readonly string[]): ReadonlySet<string> | undefined {
  const words = new Set(texts.flatMap((text) => text.match(/\w+/g) ?? []));
  if (["pg_class", "pg_inherits", "to_regclass", "create"].some((word) => words.has(word))) return undefined;
  const found = tables.filter((table) => words.has(table) && !GROUND.has(table));
  return found.length > 0 ? new Set(found) : undefined;
}
