import type { Schedule, ScheduleBackfill } from "@millrace/contract/jobs/schedules";
import type { BatchOperation } from "@millrace/contract/runs/batch-operations";
import type { Run } from "@millrace/contract/runs/runs";
import { followBatch } from "../../api/follow-batch.ts";
import { findListed, slugsIn } from "../../api/names.ts";
import { listing, send } from "../../api/requests.ts";
import type { Cli } from "../../cli.ts";
import { type Command, command, count, flag, required, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { confirm } from "../../output/ask.ts";
import { plural } from "../../output/plural.ts";
import { agoOf } from "../../output/times.ts";

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

/** The batch, or the fire times of a dry run. */
function dataOfBackfill({ fires, batch_id }: ScheduleBackfill): string[] {
  if (batch_id !== null) return [batch_id];
  return fires.map(({ scheduled_for, run_id }) => `${scheduled_for} ${run_id ?? "would start"}`);
}

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
        { title: "schedule", value: titleOf },
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
    summary: "start a run of a schedule now, in addition to its fire times",
    args: [schedule],
    examples: ["millrace schedules run nightly"],
    run: async (cli, { args: [given = ""] }) => {
      const found = await find(cli, given);
      const said = ({ id }: Run) => `Started ${id}.`;
      await send(cli, { path: `/v1/schedules/${found.id}/run-now`, said });
    },
  }),
  command({
    name: "schedules backfill",
    summary: "start the runs of past fire times that have none",
    about:
      "Start the runs of past fire times that have none, and wait until all are created. No fire time gets a second run; under an overlap policy other than `allow` they run one at a time.",
    args: [schedule],
    options: {
      from: text("--from <time>", "start of the range, inclusive (ISO 8601)"),
      to: text("--to <time>", "end of the range, exclusive (default: now)"),
      max: count("--max <n>", "refuse a range with more fire times (default: 100, at most 1000)"),
      dryRun: flag("--dry-run", "list the fire times and start nothing"),
      detach: flag("-d, --detach", "do not wait"),
    },
    examples: ["millrace schedules backfill nightly --from 2030-01-01T00:00:00Z --to 2030-02-01T00:00:00Z --dry-run"],
    run: async (cli, { args: [given = ""], options }) => {
      const { from, to = new Date().toISOString(), max, dryRun: dry_run, detach } = options;
      if (from === undefined) throw new CommandError("usage", "Name the start of the range with --from.");
      const { id } = await find(cli, given);
      const path = `/v1/schedules/${id}/backfill`;
      const body = { from, to, dry_run, ...(max !== undefined && { max }) };
      if (dry_run || detach) {
        const said = ({ total }: ScheduleBackfill) => `${plural(total, "fire time")}.`;
        await send(cli, { path, body, data: dataOfBackfill, said });
        return "ok";
      }
      const ordered = await cli.client().request<ScheduleBackfill>("POST", path, { body });
      if (ordered.batch_id === null) {
        cli.say("The range has no fire times.");
        return "ok";
      }
      const batch = await cli.client().request<BatchOperation>("GET", `/v1/batch-operations/${ordered.batch_id}`);
      return followBatch(cli, batch, "Backfilling");
    },
  }),
  command({
    name: "schedules pause",
    summary: "pause a schedule: it does not fire until it is resumed",
    args: [schedule],
    examples: ["millrace schedules pause nightly"],
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
    examples: ["millrace schedules resume nightly"],
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
    examples: ["millrace schedules delete nightly"],
    run: async (cli, { args: [given = ""], options }) => {
      const found = await find(cli, given);
      await confirm(cli, `Delete the schedule ${titleOf(found)}?`, options.yes);
      const said = () => `${titleOf(found)} was deleted`;
      await send(cli, { method: "DELETE", path: `/v1/schedules/${found.id}`, said });
    },
  }),
];
