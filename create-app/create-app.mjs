#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";

const USAGE = "Usage: npm create millrace-app [folder] [-- --no-install]";
const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;

const { folder, installs } = readArguments();
refuseFilled(folder);
writeApp(folder);
const manager = packageManager();
const isInstalled = installs && install(folder, manager);
process.stdout.write(nextSteps(folder, manager, isInstalled));

function readArguments() {
  try {
    const options = { install: { type: "boolean", default: true }, help: { type: "boolean", short: "h" } };
    const { values, positionals } = parseArgs({ options, allowPositionals: true, allowNegative: true });
    if (values.help) exit(0, USAGE);
    if (positionals.length > 1) exit(1, `Too many arguments. ${USAGE}`);
    return { folder: resolve(positionals[0] ?? "millrace-app"), installs: values.install };
  } catch (error) {
    return exit(1, `${error.message}\n${USAGE}`);
  }
}

/** Never writes over anything. A new repository without files is fine. */
function refuseFilled(path) {
  if (!existsSync(path)) return;
  const names = readdirSync(path).filter((name) => name !== ".git");
  if (names.length > 0) exit(1, `${path} is not empty. Choose another folder: npm create millrace-app my-app`);
}

function writeApp(path) {
  mkdirSync(path, { recursive: true });
  cpSync(join(here, "template"), path, { recursive: true });
  renameSync(join(path, "gitignore"), join(path, ".gitignore")); // npm does not publish files of that name
  const file = join(path, "package.json");
  const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  const text = readFileSync(file, "utf8").replaceAll("MILLRACE_VERSION", version);
  writeFileSync(file, text.replace("APP_NAME", nameOf(path)));
}

/** A valid package name, as close to the folder's as possible. */
function nameOf(path) {
  const name = basename(path)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return name || "millrace-app";
}

/** The package manager that runs this script: npm, pnpm, yarn and bun identify themselves in this variable. */
function packageManager() {
  const [name = ""] = (process.env.npm_config_user_agent ?? "").split("/");
  return ["pnpm", "yarn", "bun"].includes(name) ? name : "npm";
}

function install(path, manager) {
  process.stdout.write(`Installing the dependencies with ${manager}…\n`);
  const { status } = spawnSync(manager, ["install"], {
    cwd: path,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.stderr.write(`✗ ${manager} install failed. Run it again in ${path}.\n`);
  return status === 0;
}

function nextSteps(path, manager, isInstalled) {
  const run = manager === "npm" ? "npm run" : manager;
  const place = relative(process.cwd(), path) || ".";
  const lines = [
    "",
    `  Created ${basename(path)}. Next:`,
    "",
    ...(place === "." ? [] : [`    cd ${place}`]),
    ...(isInstalled ? [] : [`    ${manager} install`]),
    `    ${run} dev       the service with its dashboard, on http://localhost:8787`,
    `    ${run} worker    in another terminal: your jobs`,
    "",
    `    npx millrace trigger greet -d '{"name": "Ada"}' --wait`,
    "",
  ];
  return `${lines.join("\n")}\n`;
}

function exit(code, message) {
  (code === 0 ? process.stdout : process.stderr).write(`${message}\n`);
  process.exit(code);
}
