#!/usr/bin/env node
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildCli } from "./build-cli.mjs";
import { buildDashboard } from "./build-dashboard.mjs";
import { buildServer, bundle } from "./build-server.mjs";
import { ensureInstalled, root } from "./ensure-installed.mjs";

// `millrace <command>`: installs and builds what is missing, then runs the command line. Only commands that start the
// service or read its database load the server.
await ensureInstalled();
const load = async (file) => import(pathToFileURL(await file).href);
const cli = await buildCli();
// The service is built while the command line loads, so its start takes no longer.
const building = ["dev", "serve"].includes(process.argv[2]) ? buildServer() : undefined;
if (building) await buildDashboard();
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
