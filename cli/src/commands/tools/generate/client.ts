import { command, text } from "../../../command.ts";
import { clientModule } from "../../../types/client-module.ts";
import { readDescribed, writeModule } from "../../../types/described-objects.ts";

export const generateClient = command({
  name: "generate client",
  summary: "write a typed client of the project's jobs and workflows",
  about:
    "Write a TypeScript module with `createProjectClient()`: a function for each job and workflow, named after its slug, that starts a run with a payload of its type. It uses `@millrace/sdk`. Without --out, print it.",
  options: { out: text("-o, --out <file>", "file to write") },
  examples: ["millrace generate client --out src/millrace-client.ts"],
  run: async (cli, { options }) => {
    const described = await readDescribed(cli);
    writeModule(cli, options.out, described, clientModule(described));
  },
});
