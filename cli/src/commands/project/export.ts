import { resolve } from "node:path";
import { command, text } from "../../command.ts";
import { plural } from "../../output/plural.ts";
import { printJson } from "../../output/print-object.ts";
import { progressBar } from "../../output/progress-bar.ts";

/** The modules of a configuration are loaded only when needed: they include the schemas of the API. */
export const exportCommand = command({
  name: "export",
  summary: "write the project's objects to files",
  about:
    "Write what the project has to a folder of YAML files, which `millrace apply` accepts. Secrets become references to environment variables. With --json, print one document instead.",
  options: {
    out: text("-o, --out <folder>", "folder to write to (default: millrace)"),
    values: text("--values <file>", "also write the values of the variables, as far as the service shows them"),
  },
  examples: ["millrace export", "millrace export --json"],
  waitsForLimits: true,
  run: async (cli, { options }) => {
    const { readManaged } = await import("../../config/hold-config.ts");
    const { readRemote } = await import("../../config/read-remote.ts");
    const { exportConfig } = await import("../../config/export-config.ts");
    const { writeConfig } = await import("../../config/write-config.ts");
    const { project_id } = await readManaged(cli.client());
    const bar = progressBar(cli, "reading the project");
    const exported = exportConfig(await readRemote(cli.client(), project_id, () => true, bar.at).finally(bar.end));
    if (options.values !== undefined) {
      const { writeEnvFile } = await import("../../settings/env-file.ts");
      writeEnvFile(resolve(cli.cwd, options.values), exported.values);
    }
    if (cli.format !== "human") return printJson(cli, exported.config);
    const folder = options.out ?? "millrace";
    const files = await writeConfig(resolve(cli.cwd, folder), exported.config);
    cli.say(`${plural(files.length, "file")} in ${folder}: ${files.join(", ")}`);
  },
});
