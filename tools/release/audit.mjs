import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/**
 * The known vulnerabilities of what is installed in production. `undone`: why the registry could not be asked for them,
 * which is neither a pass nor a failure.
 */
export async function audit(folder, env = process.env) {
  const report = await runNpm(["audit", "--omit=dev", "--json"], { cwd: folder, env });
  const counts = report.metadata?.vulnerabilities;
  if (!counts) return { vulnerabilities: [], undone: report.message || report.error?.summary || "npm audit failed" };
  return { vulnerabilities: Object.values(report.vulnerabilities ?? {}).map(describe), undone: undefined };
}

function describe({ name, severity, range }) {
  return `${name} ${range} (${severity})`;
}

async function runNpm(args, options) {
  const child = spawn("npm", args, {
    ...options,
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  const failed = new Promise((_, reject) => child.once("error", reject));
  try {
    return JSON.parse(await Promise.race([text(child.stdout), failed]));
  } catch (error) {
    return { message: `npm audit failed: ${error.message}` };
  }
}
