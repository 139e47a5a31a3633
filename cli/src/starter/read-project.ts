import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../command-error.ts";

export const FRAMEWORKS = ["next", "nest", "fastify", "hono", "express", "node"] as const;
export type Framework = (typeof FRAMEWORKS)[number];

/** What the starter must know of an application. */
export type AppProject = {
  framework: Framework;
  isTypeScript: boolean;
  /** Where its code is: `src/`, or the folder itself. */
  codeFolder: string;
  hasSdk: boolean;
  packageManager: "npm" | "pnpm" | "yarn" | "bun";
};

/** In this order: Nest runs on Express or Fastify, and Next may have a server of its own. */
const PACKAGES: readonly [packageName: string, Framework][] = [
  ["next", "next"],
  ["@nestjs/core", "nest"],
  ["fastify", "fastify"],
  ["hono", "hono"],
  ["express", "express"],
];
const LOCK_FILES = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
] as const;

/** Reads package.json and looks at the files next to it. Undefined if there is no package.json. */
export function readProject(folder: string): AppProject | undefined {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return undefined;
  const { dependencies, devDependencies } = readPackage(path);
  const packages = new Set([...Object.keys(dependencies ?? {}), ...Object.keys(devDependencies ?? {})]);
  const has = (name: string) => existsSync(join(folder, name));
  return {
    framework: PACKAGES.find(([name]) => packages.has(name))?.[1] ?? "node",
    isTypeScript: has("tsconfig.json") || packages.has("typescript"),
    codeFolder: has("src") ? "src/" : "",
    hasSdk: packages.has("@millrace/sdk"),
    packageManager: LOCK_FILES.find(([name]) => has(name))?.[1] ?? "npm",
  };
}

type Package = { dependencies?: Record<string, string>; devDependencies?: Record<string, string> };

function readPackage(path: string): Package {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new CommandError("usage", `${path} is not valid JSON: ${(error as Error).message}`);
  }
}
