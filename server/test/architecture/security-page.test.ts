import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { sourceFiles } from "./source-files.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const page = read("docs/operate/security.md");
const inCode = new Set([...page.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text ?? ""));

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = ""]) => found);
const unnamed = (found: readonly string[]) => found.filter((name) => !inCode.has(name));

describe("the security page", () => {
  it("names tests that exist, at least one for each of OWASP's ten risks", () => {
    const tests = [...inCode].filter((text) => text.endsWith(".test.ts"));
    expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const rows = matches(page, /^\| (API\d+) .*\.test\.ts` \|$/gm);
    expect(rows).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`));
  });

  it("names every kind of credential that a request can have", () => {
    const kinds = matches(read("server/src/api/gate/credential.ts"), /^ {2}\| \{ kind: "(\w+)"/gm);
    expect(kinds).toContain("scoped_token");
    expect(unnamed(kinds)).toEqual([]);
  });

  it("names every purpose for which a key is derived from JWT_SIGNING_KEY", () => {
    const purposes = sourceFiles().flatMap(({ text }) => matches(text, /\bkeysFor\("([^"]+)"\)/g));
    expect(purposes).toContain("callback");
    expect(unnamed(purposes)).toEqual([]);
  });

  it("says of every column of bytes whether it is encrypted, hashed or harmless", () => {
    const tables = [...read("server/schema.sql").matchAll(/^create table (\w+) \(\n([\s\S]*?)^\)/gm)];
    const columns = tables.flatMap(([, table, body = ""]) =>
      matches(body, /^ +(\w+) bytea\b/gm).map((column) => `${table}.${column}`),
    );
    expect(columns).toContain("sessions.token_hash");
    expect(unnamed(columns)).toEqual([]);
  });

  it("names the tokens that the settings give to identity providers", () => {
    const secrets = sourceFiles().flatMap(({ text }) => matches(text, /\$\{prefix\}(_[A-Z_]*TOKEN)\b/g));
    expect(unnamed(secrets.map((name) => `SIGN_IN_<NAME>${name}`))).toEqual([]);
  });
});
