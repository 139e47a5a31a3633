/**
 * The supervisor for Windows, which has no dependable shell and no signals: pg_ctl drops administrator rights at the
 * start, and requests the stop through the server's pipe. Same arguments as the supervisor of the other systems.
 * Untested: no Windows machine was available.
 */
export const WINDOWS_SUPERVISOR = `
const { execFileSync } = require("node:child_process");
const { readFileSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const [, cluster, task, postgres, ...options] = process.argv.slice(1);
const firstLine = () => readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\\n")[0].trim();
writeFileSync(join(cluster, "supervisor.pid"), String(process.pid));
const pgCtl = join(cluster, "pg_ctl-path");
if (task === "start") {
  writeFileSync(pgCtl, join(dirname(postgres), "pg_ctl.exe"));
  const quoted = options.slice(2).map((option) => '"' + option + '"').join(" ");
  execFileSync(readFileSync(pgCtl, "utf8"), ["start", "-w", "-D", cluster, "-o", quoted], { stdio: "ignore" });
}
console.log(firstLine());
const stop = (mode) => execFileSync(readFileSync(pgCtl, "utf8"), ["stop", "-w", "-t", "10", "-m", mode, "-D", cluster], { stdio: "ignore" });
process.stdin.resume().on("end", () => {
  try { stop("fast"); } catch { stop("immediate"); }
});
`;
