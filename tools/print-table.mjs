import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "./build-server.mjs";
import { ensureInstalled, root } from "./ensure-installed.mjs";

// `npm run routes -- bulk` and `npm run tasks`: print the tables of routes and tasks.
await ensureInstalled();
const [table, word = ""] = process.argv.slice(2);
const source = table === "routes" ? "api/all-routes.ts" : "engine/all-tasks.ts";
const file = await bundle(join(root, "server", "src", source), join(root, "server", "dist", `${table}.js`));
const rows = await import(pathToFileURL(file).href);
const lines = table === "routes" ? rows.allRoutes.map(routeLine) : rows.allTasks.map(taskLine);
for (const line of lines.filter((line) => line.includes(word))) process.stdout.write(`${line}\n`);

function routeLine({ method, path, auth, summary }) {
  return `${method.padEnd(6)} ${path.padEnd(52)} ${(auth.scope ?? auth.kind).padEnd(20)} ${summary}`;
}

function taskLine({ name, everyMs, oneInstance }) {
  return `${name.padEnd(32)} every ${String(everyMs).padStart(7)} ms   ${oneInstance ? "one instance" : "each instance"}`;
}
