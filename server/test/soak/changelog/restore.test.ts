import { pino } from "pino";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { keepCommits } from "../../harness/load-history.ts";
import { useServices } from "../../service/start-service.ts";
import { copyDatabase } from "./copy-database.ts";
import { newCluster } from "./new-cluster.ts";
import { describeRestore } from "./restore-scenario.ts";

useServices();

describeRestore("a dump at load, restored into a new cluster", async () => {
  const target = await newCluster();
  await migrate(target, pino({ level: "silent" }));
  await keepCommits(target); // as the harness does in the source
  return { target, copy: copyDatabase };
});
