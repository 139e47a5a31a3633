import type { EventSource } from "@millrace/contract/events/event-sources";
import type { EventTested, SourceEventSummary } from "@millrace/contract/events/source-events";
import { slugsIn, withSlug } from "../../api/names.ts";
import { listing } from "../../api/requests.ts";
import { type Command, command, required, text } from "../../command.ts";
import { readJson } from "../../input/read-json.ts";
import { printRows } from "../../output/print-rows.ts";
import { agoOf } from "../../output/times.ts";

const source = required("source", "slug or id of the event source");

export const sourcesCommands: readonly Command[] = [
  listing({
    name: "sources list",
    summary: "list event sources",
    examples: ["millrace sources list"],
    path: "/v1/event-sources",
    nothing: "No event sources.",
    columns: [
      { title: "slug", value: ({ slug }: EventSource) => slug },
      { title: "name", value: ({ name }) => name },
      { title: "signature", value: ({ signature }) => signature },
      { title: "state", value: ({ enabled }) => (enabled ? "enabled" : "disabled") },
      { title: "inbound url", value: ({ inbound_url }) => inbound_url ?? "" },
    ],
  }),
  listing({
    name: "sources events",
    summary: "list the events that a source received, newest first",
    args: [source],
    options: { status: text("--status <status>", "dispatched or rejected") },
    examples: ["millrace sources events github"],
    path: ([given = ""]) => `/v1/event-sources/${encodeURIComponent(given)}/events`,
    filters: ({ status }) => ({ status }),
    nothing: "No events.",
    limit: 20,
    columns: [
      { title: "id", value: ({ id }: SourceEventSummary) => id },
      { title: "type", value: ({ type }) => type ?? "" },
      { title: "status", value: ({ status }) => status },
      { title: "via", value: ({ via }) => via },
      { title: "received", value: ({ created_at }) => created_at, show: ({ created_at }) => agoOf(created_at) },
      { title: "error", value: ({ error }) => error?.message ?? "" },
    ],
  }),
  command({
    name: "sources test",
    summary: "show which subscriptions an event would start, and start nothing",
    args: [source],
    options: {
      data: text("-d, --data <json>", "payload: JSON, @file, or - for stdin"),
      type: text("--type <type>", "type of the event"),
    },
    examples: ["millrace sources test github -d @push.json --type push"],
    run: async (cli, { args: [given = ""], options }) => {
      const body = {
        ...(options.data !== undefined && { payload: await readJson(cli, options.data) }),
        ...(options.type !== undefined && { type: options.type }),
      };
      const tested = await withSlug(cli, "event-sources", given, (path) =>
        cli.client().request<EventTested>("POST", `${path}/test`, { body }),
      );
      for (const { location, message } of tested.errors) cli.say(`${location}: ${message}`);
      const rows = tested.subscriptions;
      const jobs = await slugsIn(
        cli,
        "jobs",
        rows.map(({ job_id }) => job_id),
      );
      const workflows = await slugsIn(
        cli,
        "workflows",
        rows.map(({ workflow_id }) => workflow_id),
      );
      await printRows(cli, {
        rows,
        nothing: "The source has no subscriptions.",
        columns: [
          { title: "subscription", value: ({ subscription_id }) => subscription_id },
          {
            title: "starts",
            value: ({ job_id, workflow_id }) =>
              job_id === null
                ? `workflow ${workflows.get(workflow_id ?? "") ?? workflow_id}`
                : (jobs.get(job_id) ?? job_id),
          },
          { title: "matched", value: ({ matched }) => (matched ? "yes" : "no") },
          { title: "error", value: ({ error }) => error?.message ?? "" },
        ],
      });
      return tested.errors.length === 0 ? "ok" : "usage";
    },
  }),
];
