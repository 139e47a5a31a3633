import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { audit } from "../../../tools/release/audit.mjs";

const ADVISORY = { id: 1, url: "https://example.com/1", title: "bad", severity: "high", vulnerable_versions: "<2.0.0" };

it("an audit names what is vulnerable", async () => {
  expect(await auditWith((response) => response.end(JSON.stringify({ "left-pad": [ADVISORY] })))).toEqual({
    vulnerabilities: ["left-pad 1.0.0 (high)"],
    undone: undefined,
  });
});

it("an audit without advisories finds nothing", async () => {
  expect(await auditWith((response) => response.end("{}"))).toEqual({ vulnerabilities: [], undone: undefined });
});

it("a registry without advisories of its own is neither a pass nor a failure", async () => {
  const { vulnerabilities, undone } = await auditWith((response) => response.writeHead(405).end());
  expect(vulnerabilities).toEqual([]);
  expect(undone).toMatch(/^405 Method Not Allowed/);
});

it("nor is a registry that cannot be reached", async () => {
  const { undone } = await auditAt("http://127.0.0.1:9");
  expect(undone).toMatch(/ECONNREFUSED/);
});

async function auditWith(answer: (response: ServerResponse) => void) {
  const registry = createServer((request, response) => {
    request.resume();
    if (request.url?.startsWith("/-/npm/v1/security/advisories")) return answer(response);
    const versions = ["1.0.0", "2.0.0"].map((version) => [version, { name: "left-pad", version }]);
    response.end(JSON.stringify({ name: "left-pad", versions: Object.fromEntries(versions) }));
  });
  await new Promise<void>((listening) => registry.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void registry.close());
  return auditAt(`http://127.0.0.1:${(registry.address() as AddressInfo).port}`);
}

function auditAt(registry: string) {
  const folder = folderWithDependency();
  const npm = { npm_config_registry: registry, npm_config_fetch_retries: "0" };
  return audit(folder, { PATH: process.env.PATH, HOME: folder, ...npm });
}

function folderWithDependency() {
  const folder = mkdtempSync(join(tmpdir(), "millrace-audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = { name: "own", version: "1.0.0", dependencies: { "left-pad": "1.0.0" } };
  const packages = { "": own, "node_modules/left-pad": { version: "1.0.0" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(own));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...own, lockfileVersion: 3, packages }));
  return folder;
}
