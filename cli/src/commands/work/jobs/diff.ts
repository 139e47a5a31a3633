import type { JobVersion } from "@millrace/contract/jobs/jobs";
import { withSlug } from "../../../api/names.ts";
import { takeRows } from "../../../api/take-rows.ts";
import { command, optional, required } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { differencesOf, printDifferences } from "../../../output/print-differences.ts";

const MAX_VERSIONS = 10_000;

export const jobsDiff = command({
  name: "jobs diff",
  summary: "compare two versions of a job",
  about: "Compare two versions of a job field by field. Exits with 2 if they differ.",
  args: [
    required("job", "slug or id of the job"),
    required("from", "number of a version"),
    optional("to", "number of the other (default: the newest)"),
  ],
  examples: ["millrace jobs diff send-mail 3", "millrace jobs diff send-mail 3 4"],
  run: async (cli, { args: [given = "", from = "", to] }) => {
    const { rows } = await withSlug(cli, "jobs", given, (path) =>
      takeRows<JobVersion>(cli, `${path}/versions`, {}, MAX_VERSIONS),
    );
    const [before, after] = [find(rows, from), to === undefined ? rows[0] : find(rows, to)];
    return printDifferences(cli, differencesOf(settingsOf(before), settingsOf(after)), {
      old: `version ${before?.version}`,
      now: `version ${after?.version}`,
      nothing: `Version ${before?.version} is the same as version ${after?.version}.`,
    });
  },
});

function find(versions: readonly JobVersion[], given: string): JobVersion {
  const found = versions.find(({ version }) => String(version) === given);
  if (found) return found;
  throw new CommandError("not_found", `The job has no version "${given}".`, [
    `It has the versions ${versions
      .map(({ version }) => version)
      .slice(0, 20)
      .join(", ")}.`,
  ]);
}

const OWN_FIELDS = new Set(["id", "job_id", "project_id", "version", "created_by", "created_by_id", "created_at"]);

function settingsOf(version: JobVersion | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(version ?? {}).filter(([name]) => !OWN_FIELDS.has(name)));
}
