import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";
import type { Mutant } from "./mutant.ts";

const FLOW = fileURLToPath(new URL("../../../src/flow/", import.meta.url));

export function pathOf({ file }: Mutant): string {
  return `${FLOW}${file}`;
}

/** Returns the source without the guard. */
export function mutated(source: string, { name, file, from, to }: Mutant): string {
  const parts = source.split(from);
  if (parts.length !== 2) throw new Error(`"${name}": ${file} has ${parts.length - 1} places that read ${from.trim()}`);
  return parts.join(to);
}

/** Changes one module as it is loaded; the file on disk stays unchanged. Without a mutant it changes nothing. */
export function mutate(mutant: Mutant | undefined): Plugin {
  const isMutated = (id: string) => mutant !== undefined && id === pathOf(mutant);
  return {
    name: "mutate",
    enforce: "pre",
    transform: (source, id) => (mutant && isMutated(id) ? mutated(source, mutant) : undefined),
    // All other modules are transformed once for all mutants: transforming them took longer than most tests.
    configureVitest: ({ experimental_defineCacheKeyGenerator: defineKey }) =>
      defineKey(({ id }) => (isMutated(id) ? false : undefined)),
  };
}
