import type { Role } from "@millrace/contract/access/roles";
import { findListed } from "../../api/names.ts";
import { listing, send } from "../../api/requests.ts";
import type { Cli } from "../../cli.ts";
import { type Command, command, flag, list, required, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { confirm } from "../../output/ask.ts";
import { printObject } from "../../output/print-object.ts";

const PATH = "/v1/roles";
const role = required("role", "name or id of the role");

const find = (cli: Cli, given: string) =>
  findListed<Role>(
    cli,
    { noun: "Role", path: PATH, listedBy: "millrace roles list", nameOf: ({ name }) => name },
    given,
  );

const settings = {
  permission: list("--permission <scope>", "scope such as `runs:read`, or `*`; can be repeated"),
  parent: text("--parent <role>", "role whose permissions it has too (name or id)"),
  description: text("--description <text>", "what the role is for"),
};

type Settings = { permission: string[]; parent: string | undefined; description: string | undefined };

function bodyOf({ permission, parent, description }: Settings): Record<string, unknown> {
  return {
    ...(permission.length > 0 && { permissions: permission }),
    ...(parent !== undefined && { parent_role_id: parent === "none" ? null : parent }),
    ...(description !== undefined && { description }),
  };
}

export const rolesCommands: readonly Command[] = [
  listing({
    name: "roles list",
    summary: "list roles and their own permissions",
    examples: ["millrace roles list"],
    path: PATH,
    nothing: "No roles.",
    columns: async (_, rows: Role[]) => {
      const names = new Map(rows.map(({ id, name }) => [id, name]));
      return [
        { title: "name", value: ({ name }) => name },
        { title: "kind", value: ({ is_system }) => (is_system ? "built in" : "custom") },
        {
          title: "parent",
          value: ({ parent_role_id }) => (parent_role_id === null ? "" : (names.get(parent_role_id) ?? parent_role_id)),
        },
        {
          title: "permissions",
          value: ({ permissions }) => permissions.join(" "),
          show: ({ permissions }) => shortened(permissions),
        },
        { title: "description", value: ({ description }) => description ?? "" },
      ];
    },
  }),
  command({
    name: "roles get",
    summary: "show a role, and where each of its permissions comes from",
    args: [role],
    examples: ["millrace roles get support"],
    run: async (cli, { args: [given = ""] }) => {
      const { id } = await find(cli, given);
      const query = { include_lineage: true };
      const found = await cli.client().request<Role>("GET", `${PATH}/${id}`, { query });
      printObject(cli, found, () => [
        ["name", found.name],
        ["kind", found.is_system ? "built in" : "custom"],
        ["description", found.description],
        ["lineage", found.lineage?.map(({ name }) => name).join(" → ")],
        ["permissions", found.effective_permissions?.map(grantOf).join("\n")],
      ]);
    },
  }),
  command({
    name: "roles create",
    summary: "create a role",
    args: [required("name", "name of the role")],
    options: settings,
    examples: ["millrace roles create support --parent viewer --permission runs:write"],
    run: async (cli, { args: [name = ""], options }) => {
      const said = (created: Role) => `${created.name} was created`;
      await send(cli, { path: PATH, body: { name, ...bodyOf(options) }, said });
    },
  }),
  command({
    name: "roles update",
    summary: "change a role; its members have the new permissions at once",
    about:
      "Change a role; its members have the new permissions at once. The permissions that are passed replace its own ones; `--parent none` removes the parent.",
    args: [role],
    options: { ...settings, name: text("--name <name>", "new name") },
    examples: ["millrace roles update support --permission runs:write --permission jobs:read"],
    run: async (cli, { args: [given = ""], options: { name, ...options } }) => {
      const body = { ...(name !== undefined && { name }), ...bodyOf(options) };
      if (Object.keys(body).length === 0) throw new CommandError("usage", "Nothing to change: pass an option.");
      const { id } = await find(cli, given);
      const said = (changed: Role) => `${changed.name} was changed`;
      await send(cli, { method: "PATCH", path: `${PATH}/${id}`, body, said });
    },
  }),
  command({
    name: "roles delete",
    summary: "delete a role without members",
    args: [role],
    options: { yes: flag("-y, --yes", "do not ask for confirmation") },
    examples: ["millrace roles delete support"],
    run: async (cli, { args: [given = ""], options }) => {
      const { id, name } = await find(cli, given);
      await confirm(cli, `Delete the role ${name}?`, options.yes);
      await send(cli, { method: "DELETE", path: `${PATH}/${id}`, said: () => `${name} was deleted` });
    },
  }),
];

const MAX_SHOWN = 4;

function shortened(permissions: readonly string[]): string {
  const shown = permissions.slice(0, MAX_SHOWN).join(" ");
  return permissions.length > MAX_SHOWN ? `${shown} … ${permissions.length - MAX_SHOWN} more` : shown;
}

type Grant = NonNullable<Role["effective_permissions"]>[number];

function grantOf({ permission, path }: Grant): string {
  return path.length > 1 ? `${permission} (from ${path.at(-1)})` : permission;
}
