import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CreateWorkflow } from "@millrace/contract/workflows/workflows";
import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";
import { stepRefs } from "../config/steps.ts";
import { readDocument } from "../input/read-document.ts";

type Definition = { file: string; definition: CreateWorkflow };

/** Reads a workflow from a file, or from stdin for `-`. */
export async function readDefinition(cli: Cli, given: string | undefined): Promise<CreateWorkflow> {
  if (given === undefined) throw new CommandError("usage", "Name the definition with --file.");
  const definition = await readDocument(cli, given);
  if (Array.isArray(definition.steps)) return definition as CreateWorkflow;
  throw new CommandError("usage", `${given} is not a workflow: it has no list of steps.`);
}

export function isFolder({ cwd }: Cli, given: string): boolean {
  return given !== "-" && (statSync(resolve(cwd, given), { throwIfNoEntry: false })?.isDirectory() ?? false);
}

/** The workflows of all files in a folder, those that others start as sub-workflows first. */
export async function readFolder(cli: Cli, folder: string): Promise<Definition[]> {
  const names = readdirSync(resolve(cli.cwd, folder)).filter((name) => /\.(json|ya?ml)$/.test(name));
  if (names.length === 0) throw new CommandError("usage", `${folder} has no files of JSON or YAML.`);
  const found: Definition[] = [];
  for (const name of names.sort()) {
    const file = join(folder, name);
    found.push({ file, definition: await readDefinition(cli, file) });
  }
  return inOrder(found);
}

export function slugOf({ slug }: CreateWorkflow): string {
  if (slug !== undefined) return slug;
  throw new CommandError("usage", "The definition has no slug, which names the workflow.");
}

/** A cycle stays as it is: the service says what is wrong with it. */
function inOrder(definitions: readonly Definition[]): Definition[] {
  const bySlug = new Map(definitions.map((one) => [`workflow ${slugOf(one.definition)}`, one]));
  const ordered = new Set<Definition>();
  const visit = (one: Definition, above: ReadonlySet<Definition>) => {
    if (ordered.has(one) || above.has(one)) return;
    for (const ref of stepRefs(one.definition.steps as Record<string, unknown>[])) {
      const needed = bySlug.get(ref);
      if (needed) visit(needed, new Set([...above, one]));
    }
    ordered.add(one);
  };
  for (const one of definitions) visit(one, new Set());
  return [...ordered];
}
