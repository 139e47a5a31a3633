#!/usr/bin/env node
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildCli } from "./build-cli.mjs";
import { buildDashboard } from "./build-dashboard.mjs";
import { buildDocs } from "./build-docs.mjs";
import { buildServer, bundle } from "./build-server.mjs";
import { ensureInstalled, root } from "./ensure-installed.mjs";

// `millrace <command>`: installs and builds what is missing, then runs the CLI. Only commands that need the server
// load it.
await ensureInstalled();
const load = async (file) => import(pathToFileURL(await file).href);
const cli = await buildCli();
// Builds the service while the CLI loads, so that the build delays its start less.
const building = ["dev", "serve"].includes(process.argv[2] ?? "dev") ? buildServer() : undefined;
if (building) await Promise.all([buildDashboard(), buildDocs()]);
const { runAsProgram } = await load(cli);
await runAsProgram({
  start: async (mode) => {
    process.argv.splice(2, Number.POSITIVE_INFINITY, mode);
    return (await load(building ?? buildServer())).started;
  },
  databaseTool: () =>
    load(
      bundle(join(root, "server", "src", "main", "database-tool.ts"), join(root, "server", "dist", "database-tool.js")),
    ),
});
