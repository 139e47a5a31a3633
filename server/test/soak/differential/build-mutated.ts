import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../service/start-service.ts";
import { bundleForTests } from "../../world/bundle-for-tests.ts";
import { MUTATIONS, type Mutation } from "./mutations.ts";

/** Bundles the current tree with one mutation; the file on disk stays unchanged. Returns the path of the program. */
export function buildMutated(mutation: Mutation): Promise<string> {
  const path = join(ROOT, "server", "src", mutation.file);
  const parts = readFileSync(path, "utf8").split(mutation.from);
  if (parts.length !== 2) throw new Error(`${mutation.file} has ${parts.length - 1} places that read ${mutation.from}`);
  const contents = parts.join(mutation.to);
  const plugin = {
    name: "mutate",
    setup: ({ onLoad }: Setup) =>
      onLoad({ filter: /\.ts$/ }, (file) => (file.path === path ? { contents, loader: "ts" } : undefined)),
  };
  const outfile = `server/dist/mutant-${MUTATIONS.indexOf(mutation)}.js`;
  return bundleForTests("server/src/main.ts", outfile, { external: externalPackages(), plugins: [plugin] });
}

type Load = (file: { path: string }) => { contents: string; loader: "ts" } | undefined;
type Setup = { onLoad: (options: { filter: RegExp }, load: Load) => void };

/** Like `tools/build-server.mjs`, except that the two packages it bundles stay external too. */
function externalPackages(): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "server", "package.json"), "utf8"));
  return Object.keys(dependencies).filter((name) => !name.startsWith("@millrace/"));
}
