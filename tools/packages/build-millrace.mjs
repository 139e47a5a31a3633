import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLI_BUNDLE } from "../build-cli.mjs";
import { buildDashboard } from "../build-dashboard.mjs";
import { buildDocs } from "../build-docs.mjs";
import { BUNDLED, bundle, dependenciesOf } from "../build-server.mjs";
import { root } from "../ensure-installed.mjs";
import { publishedManifest, readManifest, writePackage } from "./manifest.mjs";
import { thirdPartyNotices } from "./third-party-notices.mjs";

/** Programs of the server; each is one file. */
const PROGRAMS = {
  "main.js": "server/src/main.ts",
  "database-tool.js": "server/src/main/database-tool.ts",
  "rotate-encryption-key.js": "server/src/rotate-encryption-key.ts",
  "testing-host.js": "sdk/src/testing/host/main.ts",
};

/** Read at run time, from the same places as in a checkout. */
const FILES = ["cli/bin", "server/migrations", "server/docs", "server/home", "openapi.json", "CHANGELOG.md"];

/**
 * A newer version of this indirect dependency needs packages for Node 22. `overrides` have no effect in a published
 * package; a shrinkwrap would install its optional packages for all platforms or for none.
 */
const FOR_NODE_20 = { "light-my-request": "6.6.0" };

/** Builds the package `millrace`: command, server, dashboard and the test server of the SDK. */
export async function buildMillrace(folder) {
  cpSync(await buildDashboard(), join(folder, "dashboard", "dist"), { recursive: true });
  cpSync(await buildDocs(), join(folder, "docs", "dist"), { recursive: true });
  mkdirSync(join(folder, "server"), { recursive: true });
  for (const [file, source] of Object.entries(PROGRAMS)) {
    const options = { external: dependenciesOf("server"), sourcemap: false };
    await bundle(join(root, source), join(folder, "server", "dist", file), options);
  }
  const cli = { ...CLI_BUNDLE, sourcemap: false };
  await bundle(join(root, "cli", "src", "main.ts"), join(folder, "cli", "dist", "main.js"), cli);
  for (const path of FILES) cpSync(join(root, path), join(folder, path), { recursive: true });
  writePackage(folder, manifestOf(), readFileSync(join(root, "README.md"), "utf8"));
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.md"), thirdPartyNotices(bundledNames()));
}

function manifestOf() {
  const { description, keywords } = readManifest(".");
  return publishedManifest(
    { name: "millrace", description, keywords },
    {
      bin: { millrace: "cli/bin/millrace.mjs" },
      exports: {
        "./package.json": "./package.json",
        "./openapi.json": "./openapi.json",
        "./testing-host": "./server/dist/testing-host.js",
      },
      files: ["cli", "server", "dashboard", "docs", "openapi.json", "CHANGELOG.md", "THIRD-PARTY-NOTICES.md"],
      dependencies: { ...exactDependencies(), ...FOR_NODE_20 },
      optionalDependencies: readManifest("server").optionalDependencies,
    },
  );
}

function exactDependencies() {
  const external = new Set(dependenciesOf("server"));
  const { dependencies } = readManifest("server");
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => external.has(name)));
}

function bundledNames() {
  const of = (workspace) => Object.keys(readManifest(workspace).dependencies);
  return { server: [...BUNDLED], cli: of("cli"), dashboard: of("dashboard") };
}
