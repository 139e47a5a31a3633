import { closeSync, copyFileSync, fstatSync, openSync, readSync, statSync, truncateSync } from "node:fs";

/** Keeps the log below twice this size: the file and the previous one. */
const MAX_LOG_BYTES = 8 * 1024 * 1024;
const EVERY_MS = 60_000;

/** Bounds the log from now on; returns a function that stops it. */
export function boundLog(file: string): () => void {
  rotateLog(file);
  const timer = setInterval(() => rotateLog(file), EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Copies and truncates, because the server keeps the file open; it appends, so it continues at the start. */
export function rotateLog(file: string, maxBytes = MAX_LOG_BYTES): void {
  if (logSize(file) <= maxBytes) return;
  try {
    copyFileSync(file, `${file}.1`);
  } finally {
    truncateSync(file);
  }
}

export function openLog(file: string): number {
  return openSync(file, "a", 0o600);
}

export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The log written after `from`, at most the last 2,000 bytes. */
export function readLogAfter(file: string, from: number): string {
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    const start = Math.max(Math.min(from, size), size - 2_000);
    const text = Buffer.alloc(size - start);
    readSync(handle, text, 0, text.length, start);
    return text.toString("utf8").trim();
  } finally {
    closeSync(handle);
  }
}
