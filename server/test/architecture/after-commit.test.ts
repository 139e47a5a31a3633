import { describe, expect, it } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** The one module that sends wake-ups: it waits for the commit of the caller's transaction. */
const SENDER = "platform/wakeups/wake.ts";
const SENDS = /\bwakeup\??\.wake\(|\{[^}]*\bwake\b[^}]*\} = [\w.]*\bwakeup\b/;

/** The parts of statements that append changes, and the functions that put them into statements of others. */
const APPENDS = /\$\{(append(RunChanges|Creations|Ends|Decisions|RunRows|States)|startLeased|decisionsAndOutbox)\(/;

/** Has no statement of its own: `startLeased` is a part of both claims, which are checked. */
const PART = "flow/runs/claim/lease-runs.ts";

describe("whoever appends changes", () => {
  it("wakes their readers", () => {
    const silent = sourceFiles().filter(({ text }) => APPENDS.test(text) && !text.includes("changesAppended("));
    expect(silent.map(({ path }) => path)).toEqual([PART]);
  });
});

describe("wake-ups", () => {
  it("are sent only by `wake`, which waits for the commit, whatever context its caller has", () => {
    const senders = sourceFiles().filter(({ text }) => SENDS.test(text));
    expect(senders.map(({ path }) => path)).toEqual([SENDER]);
  });

  it("are detected elsewhere", () => {
    for (const text of ['ctx.wakeup.wake("a")', "wakeup.wake(topic)", "const { wake } = ctx.wakeup;"]) {
      expect(SENDS.test(text)).toBe(true);
    }
    expect(SENDS.test('wake(ctx, "outbox")')).toBe(false);
  });
});
