import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readEnvFile, readWholeEnvFile, writeEnvFile } from "./env-file.ts";

function fileIn(): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-env-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, ".env.local");
}

describe(".env.local", () => {
  it("reads quotes, comments, `export` and empty lines, and treats a missing file as empty", () => {
    const path = fileIn();
    expect(readEnvFile(path)).toEqual({});
    writeFileSync(path, "# it's a\n\nA=1 # one\nexport B = \"two words\"\nC='x=y'\r\n\n");
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

  it("reads every value as it was written, whatever characters it has", () => {
    const path = fileIn();
    const values = {
      HASH: "a#b #c",
      QUOTES: `it's "quoted"`,
      SPACES: "  both ends ",
      KEY: "-----BEGIN KEY-----\nab=\n-----END KEY-----\n",
      BACKSLASH: "C:\\new\\n",
      DOLLAR: "$HOME",
      EMPTY: "",
    };
    writeEnvFile(path, values);
    expect(readEnvFile(path)).toEqual(values);
    expect(writeEnvFile(path, values)).toBe("unchanged");
    writeEnvFile(path, { KEY: "short" });
    expect(readEnvFile(path)).toEqual({ ...values, KEY: "short" });
    const impossible = { QUOTES: "'\"`" };
    expect(() => writeEnvFile(path, impossible)).toThrow("QUOTES");
    expect(readEnvFile(path)).toEqual({ ...values, KEY: "short" });
  });

  it("keeps `export`, line endings and assignments inside of another value", () => {
    const path = fileIn();
    writeFileSync(path, "export A=1\r\nTEXT='\nA=2\n'\n");
    writeEnvFile(path, { A: "3" });
    expect(readFileSync(path, "utf8")).toBe("export A=3\r\nTEXT='\nA=2\n'\n");
  });

  it("reads a file of variables whole or not at all", () => {
    const path = fileIn();
    expect(() => readWholeEnvFile(path)).toThrow("does not exist");
    writeFileSync(path, "# a\nA='x\ny' # two lines\n\nB=1\n");
    expect(readWholeEnvFile(path)).toEqual({ A: "x\ny", B: "1" });
    for (const stray of ["Ü=x", "F", "=x", "2A=1"]) {
      writeFileSync(path, `A='x\ny'\n${stray}\nB=1\n`);
      expect(() => readWholeEnvFile(path), stray).toThrow(`Line 3 of ${path} is not NAME=value`);
    }
  });
});
