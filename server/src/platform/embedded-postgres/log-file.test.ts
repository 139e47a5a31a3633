import { appendFileSync, closeSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDir } from "../../../test/embedded-postgres/temporary-dir.ts";
import { openLog, readLogAfter, rotateLog } from "./log-file.ts";

test("rotates a long log while the server keeps writing", () => {
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

test("shows only the output of the failed start as its reason", () => {
  const file = join(temporaryDir(), "postgres.log");
  writeFileSync(file, "earlier\n");
  appendFileSync(file, "now\n");

  expect(readLogAfter(file, 8)).toBe("now");
});
