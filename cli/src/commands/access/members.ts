import type { Invitation } from "@millrace/contract/access/invitations";
import type { Member } from "@millrace/contract/access/members";
import { findListed } from "../../api/names.ts";
import { listing, send } from "../../api/requests.ts";
import type { Cli } from "../../cli.ts";
import { type Command, command, count, flag, required, text } from "../../command.ts";
import { confirm } from "../../output/ask.ts";
import { agoOf } from "../../output/times.ts";

const titleOf = ({ name, subject }: Member) => name ?? subject;

const find = (cli: Cli, given: string) =>
  findListed<Member>(
    cli,
    { noun: "Member", path: "/v1/members", listedBy: "millrace members list", nameOf: ({ subject }) => subject },
    given,
  );

export const membersCommands: readonly Command[] = [
  listing({
    name: "members list",
    summary: "list members and their roles",
    examples: ["millrace members list"],
    path: "/v1/members",
    nothing: "No members.",
    columns: [
      { title: "subject", value: ({ subject }: Member) => subject },
      { title: "name", value: ({ name }) => name ?? "" },
      { title: "role", value: ({ role_name }) => role_name },
      {
        title: "last seen",
        value: ({ last_seen_at }) => last_seen_at ?? "",
        show: ({ last_seen_at }) => (last_seen_at === null ? "never" : agoOf(last_seen_at)),
      },
      { title: "added by", value: ({ created_by }) => created_by },
    ],
  }),
  command({
    name: "members add",
    summary: "give a person a role; a member's role is replaced",
    args: [required("subject", "`sub` claim of the person's tokens"), required("role", "name or id of the role")],
    options: { name: text("--name <name>", "name to show instead of the subject") },
    examples: ["millrace members add 'auth0|5f7c8ec7' operator --name 'Ada Lovelace'"],
    run: async (cli, { args: [subject = "", role_id = ""], options }) => {
      const body = { subject, role_id, ...(options.name !== undefined && { name: options.name }) };
      const said = (member: Member) => `${titleOf(member)} has the role ${member.role_name}`;
      await send(cli, { path: "/v1/members", body, said });
    },
  }),
  command({
    name: "members invite",
    summary: "print a link with which a person without an identity provider joins; it is not shown again",
    args: [required("email", "e-mail address of the person"), required("role", "name or id of the role")],
    options: { expiresInHours: count("--expires-in-hours <n>", "how long the link works (default: 72)") },
    examples: ["millrace members invite ada@example.com operator"],
    run: async (cli, { args: [email = "", role_id = ""], options }) => {
      const expiry = options.expiresInHours !== undefined && { expires_in_hours: options.expiresInHours };
      await send<Invitation>(cli, {
        path: "/v1/members/invitations",
        body: { email, role_id, ...expiry },
        data: ({ url }) => [url ?? ""],
        said: ({ expires_at }) => `Send the link to ${email}. It works once, until ${expires_at}.`,
      });
    },
  }),
  command({
    name: "members remove",
    summary: "remove a person from the project",
    args: [required("member", "subject or id of the member")],
    options: { yes: flag("-y, --yes", "do not ask for confirmation") },
    examples: ["millrace members remove 'auth0|5f7c8ec7'"],
    run: async (cli, { args: [given = ""], options }) => {
      const found = await find(cli, given);
      await confirm(cli, `Remove ${titleOf(found)}?`, options.yes);
      await send(cli, {
        method: "DELETE",
        path: `/v1/members/${found.id}`,
        said: () => `${titleOf(found)} was removed`,
      });
    },
  }),
];
