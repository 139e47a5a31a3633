import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readEnvFile, writeEnvFile } from "./env-file.ts";

function fileIn(): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-env-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, ".env.local");
}

describe(".env.local", () => {
  it("reads quotes, comments, `export` and empty lines, and treats a missing file as empty", () => {
    const path = fileIn();
    expect(readEnvFile(path)).toEqual({});
    writeFileSync(path, "# a\n\nA=1\nexport B = \"two words\"\nC='x=y'\r\nnot a line\n=none\n");
    expect(readEnvFile(path)).toEqual({ A: "1", B: "two words", C: "x=y" });
  });

  it("keeps other lines, updates existing variables in place and appends new ones", () => {
    const path = fileIn();
    writeFileSync(path, "# mine\nKEY=old\nOTHER=1", { mode: 0o644 });
    expect(writeEnvFile(path, { KEY: "new", MORE: "2" })).toBe("written");
    expect(readFileSync(path, "utf8")).toBe("# mine\nKEY=new\nOTHER=1\nMORE=2\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(writeEnvFile(path, { KEY: "new" })).toBe("unchanged");
  });
});
