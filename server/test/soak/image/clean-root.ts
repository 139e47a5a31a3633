import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const MIRROR = "http://deb.debian.org/debian";
/** Of this machine, for its npm registry. */
export const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** Why this machine cannot make a clean root, or undefined. */
export function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root, for chroot and mounts";
  const isInstalled = (program: string) => process.env.PATH?.split(":").some((path) => existsSync(join(path, program)));
  const missing = ["mmdebstrap", "unshare", "setpriv"].filter((program) => !isInstalled(program));
  return missing.length > 0 ? `needs ${missing.join(", ")} (apt-get install mmdebstrap)` : undefined;
}

/**
 * What `node:<major>-<debian>-slim` has, made without a registry of images: Debian's smallest system, and the binary and
 * npm of the same major version from the npm registry.
 */
export function makeCleanRoot(folder: string, image: string): string {
  const [, major, debian] = /^node:(\d+)-(\w+)-slim$/.exec(image) ?? [];
  if (!major || !debian) throw new Error(`${image} is not an image of Node on a slim Debian`);
  const root = join(folder, "base");
  execFileSync("mmdebstrap", ["--quiet", "--variant=minbase", "--include=ca-certificates", debian, root, MIRROR], {
    stdio: "inherit",
  });
  for (const file of ["/etc/resolv.conf", "/etc/hosts", CERTIFICATES]) cpSync(file, join(root, file));
  installNode(root, major);
  return root;
}

function installNode(root: string, major: string): void {
  const unpacked = mkdtempSync(join(root, "tmp", "node-"));
  const arch = process.arch === "arm64" ? "arm64" : "x64";
  const npm = [`node-linux-${arch}@${major}`, "npm@11"];
  execFileSync("npm", ["install", "--prefix", unpacked, "--ignore-scripts", "--no-audit", "--no-fund", ...npm], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const modules = join(root, "usr/local/lib/node_modules");
  mkdirSync(modules, { recursive: true });
  cpSync(join(unpacked, `node_modules/node-linux-${arch}/bin/node`), join(root, "usr/local/bin/node"));
  cpSync(join(unpacked, "node_modules/npm"), join(modules, "npm"), { recursive: true });
  for (const name of ["npm", "npx"]) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, "usr/local/bin", name));
  }
  rmSync(unpacked, { recursive: true });
  if (readdirSync(modules).length !== 1) throw new Error("the clean root has other packages");
}
