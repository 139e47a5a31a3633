import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Cli } from "../cli.ts";
import { readLast, saveLast } from "./last-object.ts";

it("keeps the last object of each API key: another key may belong to another project", () => {
  const home = mkdtempSync(join(tmpdir(), "millrace-last-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const withKey = (value: string) =>
    ({
      env: { XDG_STATE_HOME: home },
      settings: { baseUrl: { value: "http://localhost:8787" }, apiKey: { value, source: "flag" } },
    }) as unknown as Cli;
  saveLast(withKey("svc_aaaaaaaa1"), "runs", "run-of-a");
  saveLast(withKey("svc_bbbbbbbb1"), "runs", "run-of-b");
  expect(readLast(withKey("svc_aaaaaaaa1"), "runs")).toBe("run-of-a");
  expect(readLast(withKey("svc_cccccccc1"), "runs")).toBeUndefined();
});
