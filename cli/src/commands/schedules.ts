import type { Run } from "@millrace/contract/runs";
import type { Schedule } from "@millrace/contract/schedules";
import type { Cli } from "../cli.ts";
import { type Command, command, flag, required, text } from "../command.ts";
import { findListed, slugsIn } from "../names.ts";
import { confirm } from "../output/ask.ts";
import { agoOf } from "../output/times.ts";
import { listing, send } from "../requests.ts";

const schedule = required("schedule", "name or id of the schedule");

const find = (cli: Cli, given: string) =>
  findListed<Schedule>(
    cli,
    {
      noun: "Schedule",
      path: "/v1/schedules",
      listedBy: "millrace schedules list",
      nameOf: ({ name }) => name,
    },
    given,
  );

const titleOf = ({ name, id }: Schedule) => name ?? id;

export const schedulesCommands: readonly Command[] = [
  listing({
    name: "schedules list",
    summary: "list schedules with their next fire times",
    options: {
      job: text("--job <job>", "only schedules of this job (slug or id)"),
      workflow: text("--workflow <workflow>", "only schedules of this workflow (slug or id)"),
    },
    examples: ["millrace schedules list --job nightly-report"],
    path: "/v1/schedules",
    filters: ({ job, workflow }) => ({ job_id: job, workflow_id: workflow }),
    nothing: "No schedules.",
    columns: async (cli, rows: Schedule[]) => {
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
      const targetOf = ({ job_id, workflow_id }: Schedule) =>
        job_id === null ? `workflow ${workflows.get(workflow_id ?? "") ?? workflow_id}` : (jobs.get(job_id) ?? job_id);
      return [
        { title: "id", value: ({ id }) => id },
        { title: "name", value: ({ name }) => name ?? "" },
        { title: "starts", value: targetOf },
        { title: "cron", value: ({ cron, timezone }) => `${cron} (${timezone})` },
        { title: "state", value: ({ paused }) => (paused ? "paused" : "active") },
        {
          title: "next",
          value: ({ next_fire_at }) => next_fire_at ?? "",
          show: ({ next_fire_at }) => (next_fire_at === null ? "" : agoOf(next_fire_at)),
        },
        {
          title: "last",
          value: ({ last_fired_at }) => last_fired_at ?? "",
          show: ({ last_fired_at }) => (last_fired_at === null ? "" : agoOf(last_fired_at)),
        },
      ];
    },
  }),
  command({
    name: "schedules run",
    summary: "start the run of a schedule now, besides its fire times",
    args: [schedule],
    examples: ["millrace schedules run nightly"],
    run: async (cli, { args: [given = ""] }) => {
      const found = await find(cli, given);
      const said = ({ id }: Run) => `Started ${id}.`;
      await send(cli, { path: `/v1/schedules/${found.id}/run-now`, said });
    },
  }),
  command({
    name: "schedules pause",
    summary: "pause a schedule: it does not fire until it is resumed",
    args: [schedule],
    run: async (cli, { args: [given = ""] }) => {
      const found = await find(cli, given);
      const said = () => `${titleOf(found)} is paused`;
      await send(cli, { path: `/v1/schedules/${found.id}/pause`, said });
    },
  }),
  command({
    name: "schedules resume",
    summary: "resume a paused schedule",
    args: [schedule],
    run: async (cli, { args: [given = ""] }) => {
      const found = await find(cli, given);
      const said = ({ next_fire_at }: Schedule) => `${titleOf(found)} fires next at ${next_fire_at}`;
      await send(cli, { path: `/v1/schedules/${found.id}/resume`, said });
    },
  }),
  command({
    name: "schedules delete",
    summary: "delete a schedule; its runs stay",
    args: [schedule],
    options: { yes: flag("-y, --yes", "do not ask for confirmation") },
    run: async (cli, { args: [given = ""], options }) => {
      const found = await find(cli, given);
      await confirm(cli, `Delete the schedule ${titleOf(found)}?`, options.yes);
      const said = () => `${titleOf(found)} was deleted`;
      await send(cli, { method: "DELETE", path: `/v1/schedules/${found.id}`, said });
    },
  }),
];
