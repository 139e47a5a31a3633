import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../world/until.ts";
import { ROOT, temporaryDir, useServices } from "./start-service.ts";

useServices();

const WANTED = {
  "": { name: "a-checkout" },
  "node_modules/left": { version: "1.0.0" },
  "node_modules/right": { version: "2.0.0" },
  "node_modules/for-another-system": { version: "1.0.0", optional: true },
  "node_modules/@millrace/own": { link: true },
};
const INSTALLED = { "node_modules/left": { version: "1.0.0" }, "node_modules/right": { version: "2.0.0" } };

/** Replaces npm: records each call, then installs after a moment, or fails on request. */
const NPM = `
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
appendFileSync("npm-calls", process.argv.slice(2).join(" ") + "\\n");
if (process.env.NPM_FAILS) process.exit(1);
setTimeout(() => {
  for (const name of ["left", "right"]) {
    mkdirSync("node_modules/" + name, { recursive: true });
    writeFileSync("node_modules/" + name + "/package.json", "{}");
  }
  writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: ${JSON.stringify(INSTALLED)} }));
}, Number(process.env.NPM_TAKES_MS ?? 0));
`;

describe("the first command in a checkout", () => {
  it("installs what the lockfile lists, without install scripts; the next one has nothing to do", async () => {
    const root = fakeCheckout();
    expect(await ensureInstalled(root)).toMatchObject({ code: 0, output: expect.stringContaining("Installing") });
    expect(await ensureInstalled(root)).toEqual({ code: 0, output: "" });
    expect(npmCalls(root)).toEqual(["ci --ignore-scripts --no-audit --no-fund --loglevel=error"]);
    expect(existsSync(join(root, ".installing"))).toBe(false);
  });

  it.each([
    {
      what: "an installed package of another version",
      harm: (root: string) => writeList(root, { left: "1.0.0", right: "1.9.9" }),
    },
    { what: "a package that is not listed", harm: (root: string) => writeList(root, { left: "1.0.0" }) },
    {
      what: "a package that was deleted",
      harm: (root: string) => rmSync(join(root, "node_modules/left/package.json")),
    },
    { what: "a partially written list", harm: (root: string) => writeFileSync(listOf(root), '{"packages": {') },
  ])("installs again after $what", async ({ harm }) => {
    const root = fakeCheckout();
    await ensureInstalled(root);
    harm(root);
    expect((await ensureInstalled(root)).code).toBe(0);
    expect(npmCalls(root).length).toBe(2);
  });

  it("installs once when two run concurrently", async () => {
    const root = fakeCheckout();
    const both = await Promise.all([1, 2].map(() => ensureInstalled(root, { NPM_TAKES_MS: "500" })));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(npmCalls(root).length).toBe(1);
  });

  it("does not wait for one that was killed", async () => {
    const root = fakeCheckout();
    const killed = run(root, { NPM_TAKES_MS: "60000" });
    await until("npm to be called", 20_000, () => existsSync(join(root, "npm-calls")));
    process.kill(-(killed.child.pid ?? 0), "SIGKILL");
    await killed.ended;
    expect(existsSync(join(root, ".installing"))).toBe(true);
    expect((await ensureInstalled(root)).code).toBe(0);
  });

  it("reports a failed install and how to see its cause", async () => {
    const root = fakeCheckout();
    const { code, output } = await ensureInstalled(root, { NPM_FAILS: "1" });
    expect(code).toBe(1);
    expect(existsSync(join(root, ".installing"))).toBe(false);
    expect(output).toContain("The dependencies could not be installed. Run `npm ci` here to see why.");
  });

  it("reports a broken lockfile", async () => {
    const root = fakeCheckout();
    writeFileSync(join(root, "package-lock.json"), "<<<<<<< HEAD");
    const { code, output } = await ensureInstalled(root);
    expect(code).toBe(1);
    expect(output).toContain("package-lock.json is missing or broken");
  });

  it("reports a folder that is not writable", async () => {
    const root = fakeCheckout();
    chmodSync(root, 0o555);
    const { code, output } = await ensureInstalled(
      root,
      {},
      process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {},
    );
    chmodSync(root, 0o755);
    expect(code).toBe(1);
    expect(output).toContain(`this folder cannot be written (EACCES): ${root}`);
    expect(output).not.toMatch(/^ {4}at /m);
  });
});

function fakeCheckout(): string {
  const root = temporaryDir();
  mkdirSync(join(root, "tools"));
  copyFileSync(join(ROOT, "tools", "ensure-installed.mjs"), join(root, "tools", "ensure-installed.mjs"));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: WANTED }));
  writeFileSync(join(root, "npm.mjs"), NPM);
  return root;
}

async function ensureInstalled(root: string, env = {}, as = {}): Promise<{ code: number | null; output: string }> {
  const { ended, output } = run(root, env, as);
  return { code: await ended, output: output() };
}

function run(root: string, env = {}, as: { uid?: number; gid?: number } = {}) {
  const script = `await (await import("${root}/tools/ensure-installed.mjs")).ensureInstalled()`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    env: { PATH: process.env.PATH, npm_execpath: join(root, "npm.mjs"), ...env },
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    ...as,
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, ended, output: () => output };
}

function npmCalls(root: string): string[] {
  return readFileSync(join(root, "npm-calls"), "utf8").trim().split("\n");
}

function writeList(root: string, versions: Record<string, string>): void {
  const packages = Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }]);
  writeFileSync(listOf(root), JSON.stringify({ packages: Object.fromEntries(packages) }));
}

function listOf(root: string): string {
  return join(root, "node_modules", ".package-lock.json");
}
