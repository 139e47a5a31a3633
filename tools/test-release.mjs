import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./ensure-installed.mjs";

// `npm run test:release`: the tests of the last release with the migrations of this checkout, as its instances run on the
// new schema during a rollout. `-- server/src/flow` for a part.
const MIGRATIONS = join("server", "migrations");
/** Not server/test/architecture: it compares the schema with the code of its own version. */
const TESTS = ["server/src", "server/test/openapi", "server/test/service", "sdk/test", "cli/test"];

const tag = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*").trim();
process.exitCode = tag === "" ? report("There is no release yet.") : testRelease(tag, process.argv.slice(2));

function testRelease(tag, paths) {
  const folder = mkdtempSync(join(tmpdir(), "millrace-release-"));
  chmodSync(folder, 0o755); // some tests run as another user
  const release = join(folder, tag);
  git("worktree", "add", "--detach", release, tag);
  try {
    const released = readdirSync(join(release, MIGRATIONS));
    const changed = released.filter((name) => textOf(release, name) !== textOf(root, name));
    const added = readdirSync(join(root, MIGRATIONS)).filter((name) => !released.includes(name));
    // They have been applied somewhere.
    if (changed.length > 0) return report(`Migrations of ${tag} were changed or removed: ${changed.join(", ")}`, 1);
    if (added.length === 0) return report(`${tag} has all migrations of this checkout.`);
    report(`The tests of ${tag} with ${added.join(", ")}:`);
    for (const name of added) cpSync(join(root, MIGRATIONS, name), join(release, MIGRATIONS, name));
    return spawnSync("npm", ["test", "--", ...(paths.length > 0 ? paths : TESTS)], { cwd: release, stdio: "inherit" })
      .status;
  } finally {
    git("worktree", "remove", "--force", release);
    rmSync(folder, { recursive: true, force: true });
  }
}

function textOf(place, name) {
  const path = join(place, MIGRATIONS, name);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Its output, or nothing if it fails, as without a tag. */
function git(...args) {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout : "";
}

function report(message, code = 0) {
  process.stdout.write(`${message}\n`);
  return code;
}
