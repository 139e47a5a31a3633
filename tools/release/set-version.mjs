import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MANIFESTS = ["", "contract", "server", "sdk", "cli", "dashboard", "bench", "create-app"];
/** Other places that name the version, with what surrounds it. */
const TEXTS = {
  "server/src/platform/version.ts": [/(VERSION = ")[^"]+(")/g],
  "cli/src/version.ts": [/(VERSION = ")[^"]+(")/g],
  "deploy/helm/millrace/Chart.yaml": [/^(version: )\S+()/gm, /^(appVersion: )\S+()/gm],
  "deploy/Dockerfile": [/(millrace:)\d+\.\d+\.\d+[\w.-]*()/g],
  "deploy/README.md": [/(millrace:)\d+\.\d+\.\d+[\w.-]*()/g],
  "deploy/compose/minimal.yaml": [/(millrace:)\d+\.\d+\.\d+[\w.-]*()/g],
  "deploy/compose/postgres.yaml": [/(millrace:)\d+\.\d+\.\d+[\w.-]*()/g],
};

/** Sets the version of all packages, of their references to each other, and of everything that names it. */
export function setVersion(root, version) {
  for (const folder of MANIFESTS)
    edit(join(root, folder, "package.json"), (text) => json(text, (each) => renew(each, version)));
  edit(join(root, "package-lock.json"), (text) =>
    json(text, (lock) => {
      lock.version = version;
      for (const folder of MANIFESTS) if (lock.packages[folder]) renew(lock.packages[folder], version);
    }),
  );
  for (const [path, patterns] of Object.entries(TEXTS)) {
    edit(join(root, path), (text) => patterns.reduce((all, each) => all.replace(each, `$1${version}$2`), text));
  }
}

/** `## [0.2.0] - Unreleased` gets its date. */
export function dateChangelog(root, version, date) {
  const heading = `## [${version}] - Unreleased`;
  edit(join(root, "CHANGELOG.md"), (text) => {
    if (text.includes(`## [${version}] - ${date}`)) return text;
    if (!text.includes(heading)) throw new Error(`CHANGELOG.md has no section "${heading}"`);
    return text.replace(heading, `## [${version}] - ${date}`);
  });
}

function renew(manifest, version) {
  manifest.version = version;
  for (const group of ["dependencies", "devDependencies"]) {
    for (const name of Object.keys(manifest[group] ?? {}))
      if (name.startsWith("@millrace/")) manifest[group][name] = version;
  }
}

function json(text, change) {
  const value = JSON.parse(text);
  change(value);
  return `${JSON.stringify(value, null, 2)}\n`;
}

function edit(path, change) {
  if (existsSync(path)) writeFileSync(path, change(readFileSync(path, "utf8")));
}
