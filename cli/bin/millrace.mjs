#!/usr/bin/env node
// Entry point of the installed package. In a checkout, tools/millrace.mjs builds what this loads.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`millrace: Node 20.19 or newer is needed; this is ${process.versions.node}.\n`);
  process.exit(1);
}

const { runAsProgram } = await import("../dist/main.js");
await runAsProgram({
  start: async (mode) => {
    process.argv.splice(2, Number.POSITIVE_INFINITY, mode);
    return (await import("../../server/dist/main.js")).started;
  },
  databaseTool: () => import("../../server/dist/database-tool.js"),
});
