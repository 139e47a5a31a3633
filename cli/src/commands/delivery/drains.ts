import type { LogDrain, LogDrainTest } from "@millrace/contract/deliveries/log-drains";
import { findListed } from "../../api/names.ts";
import { listing, send } from "../../api/requests.ts";
import { type Command, command, required } from "../../command.ts";
import { agoOf } from "../../output/times.ts";

export const drainsCommands: readonly Command[] = [
  listing({
    name: "drains list",
    summary: "list log drains and whether they deliver",
    examples: ["millrace drains list"],
    path: "/v1/log-drains",
    nothing: "No log drains.",
    columns: [
      { title: "name", value: ({ name }: LogDrain) => name },
      { title: "state", value: ({ state }) => state },
      { title: "signal", value: ({ signal }) => signal },
      { title: "format", value: ({ format }) => format },
      { title: "url", value: ({ url }) => url },
      {
        title: "delivered",
        value: ({ last_delivered_at }) => last_delivered_at ?? "",
        show: ({ last_delivered_at }) => (last_delivered_at === null ? "never" : agoOf(last_delivered_at)),
      },
      { title: "error", value: ({ last_error }) => last_error ?? "" },
    ],
  }),
  command({
    name: "drains test",
    summary: "send a test record to a log drain",
    args: [required("drain", "name or id of the log drain")],
    examples: ["millrace drains test datadog"],
    run: async (cli, { args: [given = ""] }) => {
      const kind = {
        noun: "Log drain",
        path: "/v1/log-drains",
        listedBy: "millrace drains list",
        nameOf: ({ name }: LogDrain) => name,
      };
      const { id, name } = await findListed<LogDrain>(cli, kind, given);
      const { delivered } = await send<LogDrainTest>(cli, {
        path: `/v1/log-drains/${id}/test`,
        said: (test) =>
          test.delivered
            ? `${name} accepted the record (${test.status_code}, ${test.duration_ms} ms)`
            : `${name} did not accept the record: ${test.error ?? `status ${test.status_code}`}`,
      });
      return delivered ? "ok" : "failure";
    },
  }),
];
