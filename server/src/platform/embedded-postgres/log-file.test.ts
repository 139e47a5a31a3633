import { appendFileSync, closeSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLog, readLogAfter, rotateLog } from "./log-file.ts";
import { temporaryDir } from "./testing/temporary-dir.ts";

test("a long log is moved aside while the server goes on writing", () => {
  const file = join(temporaryDir(), "postgres.log");
  const server = openLog(file);
  writeSync(server, "before\n");

  rotateLog(file, 100);
  expect(readFileSync(file, "utf8")).toBe("before\n");
  rotateLog(file, 3);
  writeSync(server, "after\n");
  closeSync(server);

  expect(readFileSync(`${file}.1`, "utf8")).toBe("before\n");
  expect(readFileSync(file, "utf8")).toBe("after\n");
});

test("only what a start has written is shown as its reason", () => {
  const file = join(temporaryDir(), "postgres.log");
  writeFileSync(file, "earlier\n");
  appendFileSync(file, "now\n");

  expect(readLogAfter(file, 8)).toBe("now");
});
