import { nameOfPlace } from "../packages/lock-closure.mjs";
import { shipped } from "../packages/shipped.mjs";

/**
 * What users install with `millrace`, and what is in its bundles, as CycloneDX 1.5. Not `npm sbom --omit dev`: with a
 * workspace it leaves out each package that a development tool needs as well, such as fastify and pg.
 */
export function sbom(version, at) {
  const components = new Map(Object.entries(shipped()).map(([place, entry]) => component(nameOfPlace(place), entry)));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      timestamp: at.toISOString(),
      component: { ...identity("millrace", version), type: "application", licenses: licensed("Apache-2.0") },
    },
    components: [...components.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1)),
  };
}

function component(name, { version, license, integrity }) {
  const hashes = [{ alg: "SHA-512", content: hexOf(integrity) }];
  return [`${name}@${version}`, { ...identity(name, version), type: "library", licenses: licensed(license), hashes }];
}

function identity(name, version) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { "bom-ref": purl, name, version, purl };
}

/** check-licenses.mjs allows SPDX identifiers only, no expressions. */
function licensed(id) {
  return [{ license: { id } }];
}

/** `sha512-` and base64 in the lockfile. */
function hexOf(integrity) {
  return Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
}
