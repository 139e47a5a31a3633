import { setTimeout as pause } from "node:timers/promises";
import type { Project } from "../differential/project.ts";
import type { Build } from "../differential/start-build.ts";
import { readRowsOf } from "./read-rows.ts";

const POLL_MS = 50;

type Found = { id: string; position?: number };
type Waiting = { id: string; position: number | undefined; giveUpAt: number; done: (found?: Found) => void };

/** By build and statement: all who wait for it. A statement for each sequence would cost more than what it tests. */
const waiting = new Map<string, Waiting[]>();

/**
 * Waits until the statement returns the project, of those in `$1` with their positions in `$2`. If it never does, that is
 * no failure here: the comparison shows what is missing.
 */
export function untilFound(
  { build, id }: Project,
  statement: string,
  { withinMs, position }: { withinMs: number; position?: number },
): Promise<Found | undefined> {
  const key = `${build.url} ${statement}`;
  return new Promise((done) => {
    const own = { id, position, giveUpAt: performance.now() + withinMs, done };
    const others = waiting.get(key);
    if (others) return void others.push(own);
    waiting.set(key, [own]);
    void pollAll(build, statement, key);
  });
}

async function pollAll(build: Build, statement: string, key: string): Promise<void> {
  for (let all = waiting.get(key) ?? []; all.length > 0; all = waiting.get(key) ?? []) {
    const found = await readFound(build, statement, [...all]);
    const over = all.filter(({ id, giveUpAt }) => found.has(id) || performance.now() > giveUpAt);
    waiting.set(
      key,
      all.filter((each) => !over.includes(each)),
    );
    for (const { id, done } of over) done(found.get(id));
    await pause(POLL_MS);
  }
  waiting.delete(key);
}

async function readFound(build: Build, statement: string, all: Waiting[]): Promise<Map<string, Found>> {
  const positions = statement.includes("$2") ? [all.map(({ position }) => position)] : [];
  const rows = await readRowsOf<Found>(build.connection, statement, [all.map(({ id }) => id), ...positions]);
  return new Map(rows.map((row) => [row.id, row]));
}
