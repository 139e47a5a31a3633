import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { millrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";

/** A folder with a package.json and other files. */
function application(dependencies: Record<string, string>, ...files: string[]): string {
  const cwd = newFolder();
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ dependencies }));
  for (const file of files) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), "");
  }
  return cwd;
}

describe("millrace init", () => {
  it.each([
    {
      packages: ["next", "react"],
      framework: "next",
      files: ["app/millrace/millrace-jobs.js", "app/millrace/route.js"],
    },
    { packages: ["@nestjs/core", "express"], framework: "nest", files: ["millrace-jobs.mjs"] },
    { packages: ["fastify"], framework: "fastify", files: ["millrace-jobs.mjs"] },
    { packages: ["hono"], framework: "hono", files: ["millrace-jobs.mjs"] },
    { packages: ["express"], framework: "express", files: ["millrace-jobs.mjs"] },
    { packages: ["lodash"], framework: "node", files: ["millrace-jobs.mjs", "millrace-worker.mjs"] },
  ])("detects $framework, and writes a job for it", async ({ packages, framework, files }) => {
    const cwd = application(Object.fromEntries(packages.map((name) => [name, "*"])));
    const { code, stdout } = await millrace(["init", "--json"], { cwd });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { framework, files }]);
    expect(readFileSync(join(cwd, files[0] ?? ""), "utf8")).toContain('id: "greet"');
  });

  it("writes TypeScript below src, and prints what to add to the server on stdout", async () => {
    const cwd = application({ express: "*", "@millrace/sdk": "*" }, "tsconfig.json", "src/server.ts", "pnpm-lock.yaml");
    const { stdout, stderr } = await millrace(["init"], { cwd });
    expect(readFileSync(join(cwd, "src/millrace-jobs.ts"), "utf8")).toContain(
      "async ({ name }: { name: string }, ctx)",
    );
    expect(stdout).toBe(
      'import { serve } from "@millrace/sdk/express";\nimport { jobs } from "./millrace-jobs.js";\napp.use("/millrace", serve({ jobs })); // before express.json()\n',
    );
    expect(stderr).toContain("Found express. Wrote src/millrace-jobs.ts.");
    expect(stderr).not.toContain("pnpm add");
    const again = await millrace(["init"], { cwd });
    expect([again.code, again.stderr]).toEqual([5, expect.stringContaining("already exists")]);
  });

  it("takes the framework by name, and names the package manager's command", async () => {
    const cwd = application({}, "bun.lock");
    const { stderr } = await millrace(["init", "hono"], { cwd });
    expect(stderr).toContain("bun add @millrace/sdk");
    const typo = await millrace(["init", "fastfy"], { cwd });
    expect([typo.code, typo.stderr]).toEqual([5, expect.stringContaining("Did you mean fastify?")]);
  });

  it("writes nothing where there is no application", async () => {
    const cwd = newFolder();
    const { code, stderr } = await millrace(["init"], { cwd });
    expect([code, stderr]).toEqual([5, expect.stringContaining("npm create millrace-app")]);
    expect(existsSync(join(cwd, "millrace-jobs.mjs"))).toBe(false);
    writeFileSync(join(cwd, "package.json"), "{");
    expect((await millrace(["init"], { cwd })).stderr).toContain("package.json is not valid JSON");
  });
});
