import type { AppProject, Framework } from "./read-project.ts";

export type Starter = {
  files: readonly (readonly [name: string, content: string])[];
  /** Lines to add to the server of the application. Empty if the files are enough. */
  addToServer: readonly string[];
  /** Where the application serves its jobs, on the port that is usual for the framework. */
  url: string;
};

const URL = "http://localhost:3000/millrace";
const JOBS = "millrace-jobs";

/** A first job, and what serves it in this framework. */
export function starterOf(project: AppProject): Starter {
  return STARTERS[project.framework](project);
}

const STARTERS: Record<Framework, (project: AppProject) => Starter> = {
  next: nextStarter,
  node: nodeStarter,
  nest: (project) => mounted(project, "express", ['app.use("/millrace", serve({ jobs }));'], "with `rawBody: true`"),
  express: (project) =>
    mounted(project, "express", ['app.use("/millrace", serve({ jobs }));'], "before express.json()"),
  fastify: (project) => mounted(project, "fastify", ['await app.register(serve({ jobs }), { prefix: "/millrace" });']),
  hono: (project) => mounted(project, "hono", ['app.on(["GET", "POST"], "/millrace", serve({ jobs }));']),
};

function mounted(project: AppProject, adapter: string, lines: readonly string[], where = ""): Starter {
  return {
    files: [jobsFile(project, project.codeFolder)],
    addToServer: [
      `import { serve } from "@millrace/sdk/${adapter}";`,
      `import { jobs } from "./${JOBS}.${endingOf(project, "import")}";`,
      ...(where === "" ? lines : lines.map((line) => `${line} // ${where}`)),
    ],
    url: URL,
  };
}

/** A route of the app router, with the jobs next to it. */
function nextStarter(project: AppProject): Starter {
  const folder = `${project.codeFolder}app/millrace/`;
  const route = `import { serve } from "@millrace/sdk/next";\nimport { jobs } from "./${JOBS}";\n\nexport const { GET, POST } = serve({ jobs });\n`;
  const ending = project.isTypeScript ? "ts" : "js";
  return {
    files: [
      [`${folder}${JOBS}.${ending}`, jobText(project)],
      [`${folder}route.${ending}`, route],
    ],
    addToServer: [],
    url: URL,
  };
}

function nodeStarter(project: AppProject): Starter {
  const worker = `import { listen } from "@millrace/sdk/node";
import { jobs } from "./${JOBS}.${endingOf(project, "file")}";

await listen({ jobs }, 3000);
console.log("serving jobs on http://localhost:3000/");
`;
  const file = `${project.codeFolder}millrace-worker.${endingOf(project, "file")}`;
  return {
    files: [jobsFile(project, project.codeFolder), [file, worker]],
    addToServer: [],
    url: "http://localhost:3000/",
  };
}

function jobsFile(project: AppProject, folder: string): readonly [string, string] {
  return [`${folder}${JOBS}.${endingOf(project, "file")}`, jobText(project)];
}

/** TypeScript is compiled to .js by these frameworks; a plain Node program runs it as it is. */
function endingOf({ isTypeScript, framework }: AppProject, use: "file" | "import"): string {
  if (!isTypeScript) return "mjs";
  return use === "file" || framework === "node" ? "ts" : "js";
}

function jobText({ isTypeScript }: AppProject): string {
  const typed = isTypeScript ? ": { name: string }" : "";
  return `import { defineJob } from "@millrace/sdk";

export const greet = defineJob({
  id: "greet",
  retry: { maxAttempts: 3, backoff: "exponential" },
  run: async ({ name }${typed}, ctx) => {
    const text = await ctx.step("compose", () => \`Hello, \${name}!\`); // runs once, even if the job is retried
    ctx.log.info("greeted", { name });
    return { text };
  },
});

export const jobs = [greet];
`;
}
