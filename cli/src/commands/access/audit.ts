import { setTimeout as pause } from "node:timers/promises";
import type { AuditEvent, AuditVerification } from "@millrace/contract/projects/audit-events";
import { auditedNames } from "../../api/audited-names.ts";
import { takeRows } from "../../api/take-rows.ts";
import type { Cli } from "../../cli.ts";
import { type Command, command, count, flag, text } from "../../command.ts";
import { plural } from "../../output/plural.ts";
import { printJson } from "../../output/print-object.ts";
import { type Column, printRows } from "../../output/print-rows.ts";
import { progressBar } from "../../output/progress-bar.ts";
import { agoOf } from "../../output/times.ts";

const PATH = "/v1/audit-events";
/** Audit events have no stream. */
const POLL_INTERVAL_MS = 2_000;
/** Events get their times in transactions, which may commit after later ones. */
const OVERLAP_MS = 60_000;

async function print(cli: Cli, rows: readonly AuditEvent[], nothing: string): Promise<void> {
  const names = cli.format === "human" ? await auditedNames(cli, rows) : new Map<string, string>();
  const columns: readonly Column<AuditEvent>[] = [
    { title: "at", value: ({ created_at }) => created_at, show: ({ created_at }) => agoOf(created_at) },
    { title: "actor", value: ({ actor_name, actor_kind }) => actor_name ?? actor_kind },
    { title: "action", value: ({ action }) => action },
    { title: "object", value: (event) => objectOf(event, names) },
    { title: "from", value: ({ ip }) => ip ?? "" },
  ];
  await printRows(cli, { rows, columns, nothing });
}

/** What a deleted object was called is among the fields that changed. */
function objectOf(event: AuditEvent, names: ReadonlyMap<string, string>): string {
  const { slug, name } = { ...event.before, ...event.after };
  return `${event.resource_type} ${names.get(event.resource_id) ?? slug ?? name ?? event.resource_id}`;
}

async function follow(cli: Cli, query: Record<string, string | undefined>, seen: AuditEvent[]): Promise<void> {
  const known = new Set(seen.map(({ id }) => id));
  let since = Date.parse(seen.at(-1)?.created_at ?? new Date().toISOString());
  for (;;) {
    await pause(POLL_INTERVAL_MS, undefined, { signal: cli.signal });
    const from = new Date(since - OVERLAP_MS).toISOString();
    const { rows } = await takeRows<AuditEvent>(cli, PATH, { ...query, from, order: "asc" }, 1_000);
    const fresh = rows.filter(({ id }) => !known.has(id));
    for (const { id, created_at } of fresh) {
      known.add(id);
      since = Math.max(since, Date.parse(created_at));
    }
    if (fresh.length > 0) await print(cli, fresh, "");
  }
}

export const auditCommands: readonly Command[] = [
  command({
    name: "audit tail",
    summary: "print the newest changes to the project: who changed what, when and from where",
    options: {
      follow: flag("-f, --follow", "keep printing new ones until Ctrl-C"),
      limit: count("-n, --limit <n>", "how many of the newest to print first (default: 20)"),
      actor: text("--actor <actor>", "only changes by this actor (name or id)"),
      action: text("--action <action>", "only this action, such as `job.updated` or `job.*`"),
    },
    examples: ["millrace audit tail -f", "millrace audit tail --action 'job.*'"],
    run: async (cli, { options }) => {
      const query = { actor: options.actor, action: options.action };
      const { rows } = await takeRows<AuditEvent>(cli, PATH, query, options.limit ?? 20);
      const seen = rows.reverse();
      await print(cli, seen, "No changes yet.");
      if (options.follow) await follow(cli, query, seen);
    },
  }),
  command({
    name: "audit verify",
    summary: "check that no change was edited or removed from the audit log",
    about: "Check the hash chain of the audit log. Exits with 1 if an event was edited or is missing.",
    examples: ["millrace audit verify"],
    run: async (cli) => {
      const bar = progressBar(cli, "verifying");
      const issues: AuditVerification["issues"] = [];
      let [checked, total, after]: [number, number, number | null] = [0, 0, 0];
      try {
        while (after !== null) {
          const query = { after };
          const page: AuditVerification = await cli.client().request("GET", `${PATH}/verify`, { query });
          issues.push(...page.issues);
          checked += page.checked;
          total = page.head?.count ?? checked;
          after = page.next_after;
          bar.at(checked, total);
        }
      } finally {
        bar.end();
      }
      if (cli.format !== "human") printJson(cli, { valid: issues.length === 0, checked, issues });
      for (const { message } of cli.format === "human" ? issues : []) cli.write(`${message}\n`);
      cli.say(`${plural(checked, "event")} checked, ${plural(issues.length, "issue")}.`);
      return issues.length === 0 ? "ok" : "failure";
    },
  }),
];
