import { resolve } from "node:path";
import type { Environment, ResolvedEnvironment } from "@millrace/contract/projects/environments";
import { slugsIn, withSlug } from "../../api/names.ts";
import { listing, send } from "../../api/requests.ts";
import type { Cli } from "../../cli.ts";
import { type Command, command, flag, required, variadic } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import type { ExitName } from "../../exit-codes.ts";
import { confirm } from "../../output/ask.ts";
import { plural } from "../../output/plural.ts";
import { printJson } from "../../output/print-object.ts";
import { printRows } from "../../output/print-rows.ts";
import { readWholeEnvFile, writeEnvFile } from "../../settings/env-file.ts";

type Variables = Record<string, string>;

const environment = required("environment", "slug or id of the environment");

function read(cli: Cli, given: string): Promise<ResolvedEnvironment> {
  return withSlug(cli, "environments", given, (path) => cli.client().request<ResolvedEnvironment>("GET", path));
}

/** Replaces the environment's own variables; inherited ones stay with their environment. */
function save(cli: Cli, { id, slug }: Environment, variables: Variables): Promise<unknown> {
  const said = () => `${slug} has ${plural(Object.keys(variables).length, "variable")}`;
  return send(cli, { method: "PATCH", path: `/v1/environments/${id}`, body: { variables }, said });
}

function readAssignments(given: readonly string[]): Variables {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.indexOf("=");
      if (at < 1) throw new CommandError("usage", `"${each}" is not an assignment.`, ["Write NAME=value."]);
      return [each.slice(0, at), each.slice(at + 1)];
    }),
  );
}

function readVariables(cli: Cli, file: string): Variables {
  const named = Object.entries(readWholeEnvFile(resolve(cli.cwd, file))).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  if (named.length === 0) throw new CommandError("usage", `${file} names no variables.`);
  return Object.fromEntries(named);
}

/** A pulled file has the inherited variables too. Pushed as they are, they stay inherited. */
function withoutInherited({ variables, resolved_variables }: ResolvedEnvironment, named: Variables): Variables {
  const isOwn = ([name, value]: [string, string]) =>
    Object.hasOwn(variables, name) || resolved_variables[name] !== value;
  return Object.fromEntries(Object.entries(named).filter(isOwn));
}

type Difference = { name: string; change: "added" | "changed" | "removed" };

function differencesOf(from: Variables, to: Variables): Difference[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].toSorted();
  return names.flatMap((name): Difference[] => {
    if (from[name] === to[name]) return [];
    if (from[name] === undefined) return [{ name, change: "added" }];
    return [{ name, change: to[name] === undefined ? "removed" : "changed" }];
  });
}

/** Names only: values are often secrets, and a terminal keeps its history. */
async function printDifferences(cli: Cli, rows: Difference[], nothing: string): Promise<ExitName> {
  await printRows(cli, {
    rows,
    nothing,
    columns: [
      { title: "variable", value: ({ name }) => name },
      { title: "change", value: ({ change }) => change },
    ],
  });
  return rows.length === 0 ? "ok" : "changes";
}

export const envCommands: readonly Command[] = [
  listing({
    name: "env list",
    summary: "list environments",
    examples: ["millrace env list"],
    path: "/v1/environments",
    nothing: "No environments.",
    columns: async (cli, rows: Environment[]) => {
      const parents = await slugsIn(
        cli,
        "environments",
        rows.map(({ parent_id }) => parent_id),
      );
      return [
        { title: "slug", value: ({ slug }) => slug },
        { title: "name", value: ({ name }) => name },
        {
          title: "inherits from",
          value: ({ parent_id }) => (parent_id === null ? "" : (parents.get(parent_id) ?? "")),
        },
        { title: "variables", value: ({ variables }) => String(Object.keys(variables).length) },
      ];
    },
  }),
  command({
    name: "env set",
    summary: "set variables of an environment",
    args: [environment, variadic("assignment", "NAME=value, or NAME with --delete")],
    options: { delete: flag("--delete", "remove the named variables instead") },
    examples: [
      "millrace env set staging API_URL=https://staging.example.com",
      "millrace env set staging API_URL --delete",
    ],
    run: async (cli, { args: [given = "", ...assignments], options }) => {
      if (assignments.length === 0) throw new CommandError("usage", "Name at least one variable.");
      const found = await read(cli, given);
      if (!options.delete)
        return void (await save(cli, found, { ...found.variables, ...readAssignments(assignments) }));
      const gone = assignments.map((name) => name.replace(/=.*$/, ""));
      const missing = gone.filter((name) => !Object.hasOwn(found.variables, name));
      if (missing.length > 0) {
        throw new CommandError("not_found", `${found.slug} has no variable ${missing.join(", ")} of its own.`);
      }
      const left = Object.entries(found.variables).filter(([name]) => !gone.includes(name));
      await save(cli, found, Object.fromEntries(left));
    },
  }),
  command({
    name: "env diff",
    summary: "compare the variables that runs receive in two environments",
    about:
      "Compare the variables that runs receive in two environments, inherited ones included. Prints names only. Exits with 2 if they differ.",
    args: [required("from", "slug or id of an environment"), required("to", "slug or id of the other")],
    examples: ["millrace env diff staging production"],
    run: async (cli, { args: [from = "", to = ""] }) => {
      const [before, after] = await Promise.all([read(cli, from), read(cli, to)]);
      const rows = differencesOf(before.resolved_variables, after.resolved_variables);
      return printDifferences(cli, rows, `${before.slug} and ${after.slug} have the same variables.`);
    },
  }),
  command({
    name: "env pull",
    summary: "write the variables of an environment to a file, readable only by you",
    args: [environment, required("file", "file of NAME=value lines; other lines are kept")],
    examples: ["millrace env pull development .env"],
    run: async (cli, { args: [given = "", file = ""] }) => {
      const { slug, resolved_variables } = await read(cli, given);
      const outcome = writeEnvFile(resolve(cli.cwd, file), resolved_variables);
      if (cli.format !== "human") return printJson(cli, { file, outcome, names: Object.keys(resolved_variables) });
      cli.say(`${file} has the ${plural(Object.keys(resolved_variables).length, "variable")} of ${slug} (${outcome})`);
    },
  }),
  command({
    name: "env push",
    summary: "set the variables of an environment from a file",
    about:
      "Set the variables of an environment from a file. Shows what changes and asks for confirmation. Variables that the file does not name are kept, unless --prune is passed. Inherited variables that the file does not change stay inherited.",
    args: [environment, required("file", "file of NAME=value lines")],
    options: {
      prune: flag("--prune", "remove the environment's variables that the file does not name"),
      dryRun: flag("--dry-run", "show what would change and change nothing; exits with 2 if something would"),
      yes: flag("-y, --yes", "do not ask for confirmation"),
    },
    examples: ["millrace env push staging .env.staging --dry-run"],
    run: async (cli, { args: [given = "", file = ""], options }) => {
      const found = await read(cli, given);
      const named = withoutInherited(found, readVariables(cli, file));
      const after = options.prune ? named : { ...found.variables, ...named };
      const rows = differencesOf(found.variables, after);
      const nothing = `${found.slug} already has these variables.`;
      if (options.dryRun) return printDifferences(cli, rows, nothing);
      if (rows.length === 0) {
        cli.say(nothing);
        return undefined;
      }
      if (cli.format === "human") await printDifferences(cli, rows, nothing);
      await confirm(cli, `Change ${plural(rows.length, "variable")} of ${found.slug}?`, options.yes);
      await save(cli, found, after);
      return undefined;
    },
  }),
];
