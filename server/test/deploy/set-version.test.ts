import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { dateChangelog, setVersion } from "../../../tools/release/set-version.mjs";
import { VERSION } from "../../src/platform/version.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** They change with `npm run generate`, or name versions of other things. */
const NOT_SET = /^(openapi\.json|server\/(src|test)\/|sdk\/src\/generated\/|docs\/|create-app\/template\/)/;

it("a release sets the version in every file that names it, and dates the changelog", () => {
  const copy = mkdtempSync(join(tmpdir(), "millrace-release-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const naming = execFileSync("git", ["grep", "-lF", `"${VERSION}"`, "--", "*.json", "*/version.ts"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const others = execFileSync("git", ["ls-files", "deploy", "CHANGELOG.md"], { cwd: ROOT, encoding: "utf8" });
  const files = `${naming}${others}server/src/platform/version.ts`.split("\n");
  for (const path of files) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path));
  }
  setVersion(copy, "7.8.9");
  const left = files.filter((path) => !NOT_SET.test(path) && path !== "CHANGELOG.md");
  const own = new RegExp(`(millrace:|ersion"?:? "?|@millrace/\\\\w+": ")${VERSION.replaceAll(".", "\\\\.")}\\\\b`);
  const missed = left.filter(
    (path) => path !== "package-lock.json" && own.test(readFileSync(join(copy, path), "utf8")),
  );
  expect(missed).toEqual([]);
  expect(readFileSync(join(copy, "server/src/platform/version.ts"), "utf8")).toContain('VERSION = "7.8.9"');
  expect(JSON.parse(readFileSync(join(copy, "package-lock.json"), "utf8")).packages.server.version).toBe("7.8.9");
  expect(() => dateChangelog(copy, "7.8.9", "2030-01-01")).toThrow("CHANGELOG.md has no section");
});
