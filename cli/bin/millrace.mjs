#!/usr/bin/env node
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runAsProgram } from "../dist/main.js";

// Entry point of the installed package. The service is a separate package, installed next to this one.
await runAsProgram({
  start: async (mode) => {
    process.argv.splice(2, Number.POSITIVE_INFINITY, mode);
    return (await loadServer("main.js")).started;
  },
  databaseTool: () => loadServer("database-tool.js"),
});

async function loadServer(name) {
  const file = new URL(`../../server/dist/${name}`, import.meta.url);
  if (existsSync(fileURLToPath(file))) return import(file.href);
  process.stderr.write(
    "✗ The service is not part of this installation.\n  Install @millrace/server, or run `millrace` from a checkout.\n",
  );
  process.exit(1);
}
