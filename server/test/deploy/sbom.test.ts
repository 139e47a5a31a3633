import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { sbom } from "../../../tools/release/sbom.mjs";

const ROOT = resolve(import.meta.dirname, "../../..");

function dependenciesOf(path: string, group: "dependencies" | "optionalDependencies"): string[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, path, "package.json"), "utf8"));
  return Object.keys(manifest[group] ?? {}).filter((name) => !name.startsWith("@millrace/"));
}

it("the SBOM has all that is installed or bundled, also what development tools share, with license and hash", () => {
  const { metadata, components } = sbom("7.8.9", new Date(0));
  expect(metadata.component.purl).toBe("pkg:npm/millrace@7.8.9");
  const names = components.map(({ name }) => name);
  const direct = [
    ...dependenciesOf("server", "dependencies"),
    ...dependenciesOf("server", "optionalDependencies"),
    ...dependenciesOf("cli", "dependencies"),
  ];
  const indirect = ["node_modules/fastify", "node_modules/pg"].flatMap((path) => dependenciesOf(path, "dependencies"));
  expect([...direct, ...indirect, "react"].filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length);
  for (const { purl, licenses, hashes } of components) {
    expect([purl, licenses[0]?.license.id, hashes[0]?.content]).toEqual([
      expect.stringMatching(/^pkg:npm\/(%40[^/@]+\/)?[^/@]+@\d/),
      expect.stringMatching(/^[\w.-]+$/),
      expect.stringMatching(/^[0-9a-f]{128}$/),
    ]);
  }
});
