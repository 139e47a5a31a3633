import { join, resolve } from "node:path";
import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";
import { didYouMean } from "../did-you-mean.ts";
import { printJson } from "../output/print-object.ts";
import { writeNew } from "../write-new.ts";
import { type AppProject, FRAMEWORKS, type Framework, readProject } from "./read-project.ts";
import { type Starter, starterOf } from "./starter-of.ts";

/** Adds a first job to the application in a folder, for its framework. */
export function initApplication(cli: Cli, given: string | undefined, named: string): void {
  const folder = resolve(cli.cwd, named);
  const found = readProject(folder);
  if (!found) {
    throw new CommandError("usage", `${folder} has no package.json, so there is no application to add a job to.`, [
      "For a new application: npm create millrace-app",
      "For the files of a production service: millrace init --production",
    ]);
  }
  const project = given === undefined ? found : { ...found, framework: frameworkOf(given) };
  const starter = starterOf(project);
  writeNew(folder, starter.files, 0o666);
  report(cli, { folder, named }, project, starter);
}

function frameworkOf(given: string): Framework {
  const found = FRAMEWORKS.find((framework) => framework === given);
  if (found) return found;
  const [near] = didYouMean(given, FRAMEWORKS);
  throw new CommandError("usage", `Unknown framework "${given}".`, [
    near ? `Did you mean ${near}?` : `Use ${FRAMEWORKS.join(", ")}. For env, compose or systemd, add --production.`,
  ]);
}

const INSTALL = { npm: "npm install", pnpm: "pnpm add", yarn: "yarn add", bun: "bun add" };

function report(cli: Cli, { folder, named }: { folder: string; named: string }, project: AppProject, starter: Starter) {
  const { framework, packageManager, hasSdk } = project;
  const files = starter.files.map(([name]) => name);
  const next = [
    ...(hasSdk ? [] : [`${INSTALL[packageManager]} @millrace/sdk`]),
    `npx millrace dev --url ${starter.url}`,
    `npx millrace trigger greet -d '{"name": "Ada"}' --follow`,
  ];
  if (cli.format !== "human") {
    const { addToServer: add_to_server, url } = starter;
    return printJson(cli, { framework, folder, files, add_to_server, url, next });
  }
  cli.say(`Found ${framework}. Wrote ${files.map((name) => join(named, name)).join(" and ")}.`);
  if (starter.addToServer.length > 0) {
    cli.say("\nAdd to your server:\n");
    for (const line of starter.addToServer) cli.write(`${line}\n`);
  }
  cli.say("\nThen:\n");
  for (const line of next) cli.say(`  ${line}`);
  cli.say(
    "\n`millrace dev` writes .env.local. Start your application with it, so that it can verify who calls its jobs.",
  );
}
