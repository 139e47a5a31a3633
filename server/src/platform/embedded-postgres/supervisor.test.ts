import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryDirForFile } from "../../../test/embedded-postgres/temporary-dir.ts";
import { until } from "../../../test/world/until.ts";
import { isRunning } from "./running-process.ts";
import { attachSupervisor } from "./supervisor.ts";

const dir = temporaryDirForFile();
/** No process has this pid: the kernel assigns smaller ones. */
const NOBODY = 2 ** 22 + 1;

describe("a supervisor released by its service", () => {
  test.each([
    ["names it", (pid: number) => `${pid}\n${dir}\n`],
    ["is still empty, since the server has just made it", () => ""],
    ["still names a server that was killed", () => `${NOBODY}\n${dir}\n`],
  ])("stops its server when the pid file %s", async (_, contentOf) => {
    const server = startSleep();
    writeFileSync(join(dir, "postmaster.pid"), contentOf(server));
    const supervisor = await attachSupervisor(plan(), server);

    supervisor.release();

    await until("the server to end", 20_000, () => !isRunning(server));
  });

  test("leaves a process alone when the pid file names another living one", async () => {
    const [outsider, server] = [startSleep(), startSleep()];
    writeFileSync(join(dir, "postmaster.pid"), `${server}\n${dir}\n`);
    const supervisor = await attachSupervisor(plan(), outsider);

    supervisor.release();
    await until("the supervisor to end", 20_000, () => supervisor.isGone());
    await pause(50);

    expect([isRunning(outsider), isRunning(server)]).toEqual([true, true]);
  });
});

function plan() {
  return { clusterDir: dir, binariesDir: dir, logFile: join(dir, "log"), user: undefined };
}

function startSleep(): number {
  const child = spawn("sleep", ["60"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}
