import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../service/start-service.ts";
import { bundleForTests } from "../../world/bundle-for-tests.ts";
import { type Edit, MUTATIONS, type Mutation } from "./mutations.ts";

/** Bundles the current tree with one mutation. Returns the path of the program. */
export function buildMutated(mutation: Mutation): Promise<string> {
  return buildEdited([mutation], `mutant-${MUTATIONS.indexOf(mutation)}`);
}

/** Bundles the current tree with changed files; those on disk stay unchanged. */
export function buildEdited(edits: readonly Edit[], name: string): Promise<string> {
  const edited = new Map<string, string>();
  for (const each of edits) {
    const path = join(ROOT, "server", "src", each.file);
    edited.set(path, edit(edited.get(path) ?? readFileSync(path, "utf8"), each));
  }
  const plugin = {
    name: "edit",
    setup: ({ onLoad }: Setup) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = edited.get(path);
        return contents === undefined ? undefined : { contents, loader: "ts" };
      }),
  };
  const outfile = `server/dist/${name}.js`;
  return bundleForTests("server/src/main.ts", outfile, { external: externalPackages(), plugins: [plugin] });
}

export function edit(source: string, { file, from, to }: Edit): string {
  const parts = source.split(from);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} places that read ${from}`);
  return parts.join(to);
}

type Load = (file: { path: string }) => { contents: string; loader: "ts" } | undefined;
type Setup = { onLoad: (options: { filter: RegExp }, load: Load) => void };

/** Like `tools/build-server.mjs`, except that the two packages it bundles stay external too. */
function externalPackages(): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "server", "package.json"), "utf8"));
  return Object.keys(dependencies).filter((name) => !name.startsWith("@millrace/"));
}
