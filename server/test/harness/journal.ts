import { mkdtempSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenFileEnds } from "../world/end-of-file.ts";

/** Lines of JSON, written to disk before `append` resolves: they survive the death of the test process. */
export type Journal = { file: string; append: (entry: object) => Promise<void> };

/**
 * The folder of one test file, with its journals and, if an invariant was violated, its history. It is kept in that
 * case.
 */
export type JournalFolder = { path: string; open: (name: string) => Promise<Journal>; keep: () => void };

export function journalFolder(): JournalFolder {
  const path = mkdtempSync(join(tmpdir(), "millrace-harness-"));
  const files: FileHandle[] = [];
  let isKept = false;
  whenFileEnds(async () => {
    await Promise.all(files.map((file) => file.close()));
    if (!isKept) rmSync(path, { recursive: true, force: true });
  });
  return {
    path,
    keep: () => {
      isKept = true;
    },
    open: async (name) => {
      const file = join(path, `${name}.ndjson`);
      const handle = await open(file, "a");
      files.push(handle);
      return { file, append: groupCommit(handle) };
    },
  };
}

/** Entries that arrive during an fsync share the next one: one fsync per entry would slow the observed system. */
function groupCommit(handle: FileHandle): Journal["append"] {
  let waiting: string[] = [];
  let next: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    await writing;
    const lines = waiting;
    [waiting, next] = [[], undefined];
    writing = handle.appendFile(lines.join("")).then(() => handle.datasync());
    await writing;
  }

  return (entry) => {
    waiting.push(`${JSON.stringify(entry)}\n`);
    next ??= write();
    return next;
  };
}
