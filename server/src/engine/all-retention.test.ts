import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../test/world/database.ts";
import { makeWorld, type World } from "../../test/world/world.ts";
import { removePage } from "../platform/retention/remove-old-rows.ts";
import { serverRoot } from "../platform/server-root.ts";
import { allRetention } from "./all-retention.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("the retention entries", () => {
  it("have different names, all in the table of docs/operate/operations.md", () => {
    const names = allRetention.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    const page = readFileSync(join(serverRoot(), "..", "docs", "operate", "operations.md"), "utf8");
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  // The task itself continues after an entry that fails.
  it.each(allRetention.map((entry) => [entry.name, entry] as const))(
    "%s removes nothing from an empty database, and does not fail",
    async (_name, entry) => {
      expect(await removePage(world.ctx, entry)).toEqual({ removed: 0, more: false });
    },
  );

  it("remove usage e-mails, error groups and run-tree counts once they are old enough", async () => {
    const { id } = await world.project();
    const insert = (text: string, days: number[]) =>
      runSql(world.connection, `${text} from unnest($2::int[]) n`, [id, days]);
    await insert(
      `insert into usage_emails (project_id, period_starts_at, email, status, next_try_at, created_at)
       select $1, clock(), n::text, 'sent', clock(), clock() - n * interval '1 day'`,
      [399, 401],
    );
    await insert(
      `insert into error_groups (project_id, job_id, environment_id, fingerprint, message, run_ids, first_seen_at,
         last_seen_at)
       select $1, $1, $1, gen_random_uuid(), n::text, '{}', clock(), clock() - n * interval '1 day'`,
      [399, 401],
    );
    await insert(
      `insert into run_trees (project_id, root_run_id, runs, updated_at)
       select $1, gen_random_uuid(), n, clock() - n * interval '1 day'`,
      [29, 31],
    );
    await world.tick("remove-old-rows");
    expect(
      await runSql(
        world.connection,
        `select (select array_agg(email) from usage_emails) as emails, (select array_agg(message) from error_groups) as groups,
           (select array_agg(runs) from run_trees) as trees`,
      ),
    ).toEqual([{ emails: ["399"], groups: ["399"], trees: [29] }]);
  });
});
