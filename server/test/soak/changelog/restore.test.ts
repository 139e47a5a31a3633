import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackup } from "../../../src/main/backup/create-backup.ts";
import { restoreBackup } from "../../../src/main/backup/restore-backup.ts";
import { keepCommits } from "../../harness/load-history.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql } from "../../world/database.ts";
import { newCluster } from "./new-cluster.ts";
import { describeRestore } from "./restore-scenario.ts";

useServices();

describeRestore("a backup at load, restored into a new cluster", async () => {
  const target = await newCluster();
  return {
    target,
    copy: async (source, _, whenSnapshot) => {
      const folder = mkdtempSync(join(tmpdir(), "millrace-backup-"));
      const file = join(folder, "millrace.backup");
      const rows = await createBackup(source, file);
      await whenSnapshot();
      await restoreBackup(target, file);
      rmSync(folder, { recursive: true });
      // The harness keeps commits in a table of its own, which no backup has.
      await keepCommits(target);
      await runSql(target, "insert into run_commits select run_id, ordinal from run_history");
      return Object.values(rows).reduce((sum, count) => sum + count, 0);
    },
  };
});
