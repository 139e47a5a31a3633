import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Option as ProgramOption } from "commander";
import { describe, expect, it } from "vitest";
import { allCommands } from "../src/all-commands.ts";
import { buildProgram } from "../src/build-program.ts";
import { VERSION } from "../src/version.ts";
import { millrace } from "./millrace.ts";
import { printDocs } from "./print-docs.ts";
import { newFolder } from "./run-millrace.ts";

const ROOT = resolve(import.meta.dirname, "../..");

describe("the command table", () => {
  it("docs/reference/cli.md matches it", async () => {
    await expect(printDocs(allCommands)).toMatchFileSnapshot(join(ROOT, "docs", "reference", "cli.md"));
  });

  it("every command is in a folder of a topic, in the file or the folder of its first word", () => {
    const folder = join(ROOT, "cli", "src", "commands");
    const files = readdirSync(folder).flatMap((topic) => readdirSync(join(folder, topic)));
    const words = new Set(allCommands.map(({ name }) => name.split(" ")[0] ?? ""));
    expect([...words].toSorted()).toEqual(files.map((file) => file.replace(/\.ts$/, "")).toSorted());
  });

  it.each(allCommands.map((command) => ({ name: command.name, command })))(
    "$name names its options after their flags",
    ({ command }) => {
      const names = Object.values(command.options).map(({ flags }) => new ProgramOption(flags).attributeName());
      expect(Object.keys(command.options)).toEqual(names);
    },
  );

  it("every command has an example, which it can parse", () => {
    const examples = allCommands.flatMap(({ examples }) => examples.map((line) => line.replace(/ (<|>>?) \S+$/, "")));
    // A shell divides the lines into words.
    const script = `millrace() { printf '%s\\0' "$@"; printf '\\n'; }\n${examples.join("\n")}`;
    const lines = execFileSync("bash", ["-c", script], { encoding: "utf8" }).split("\0\n").slice(0, -1);
    const parsed = lines.map((line) => {
      let name = "";
      const write = { out: () => {}, err: () => {} };
      buildProgram(allCommands, (chosen) => (name = chosen.command.name), write).parse(line.split("\0"), {
        from: "user",
      });
      return name;
    });
    expect(parsed).toEqual(allCommands.flatMap(({ name, examples }) => examples.map(() => name)));
    expect(allCommands.filter(({ examples }) => examples.length === 0)).toEqual([]);
  });

  it("the version equals package.json", () => {
    expect(VERSION).toBe(JSON.parse(readFileSync(join(ROOT, "cli", "package.json"), "utf8")).version);
  });
});

describe("an invalid command line", () => {
  it.each([
    { args: ["rnus", "list"], message: "Unknown command 'rnus'.", hint: "Did you mean runs?" },
    { args: ["runs", "lits"], message: "Unknown command 'lits'.", hint: "Did you mean list?" },
    {
      args: ["runs", "list", "--stauts", "failed"],
      message: "Unknown option '--stauts'.",
      hint: "Did you mean --status?",
    },
    { args: ["runs", "get"], message: "Missing required argument 'run'.", hint: "--help" },
    { args: ["runs", "list", "--limit", "many"], message: "whole number", hint: "--help" },
    ...["runs list", "runs tail", "runs replay", "workflow-runs list", "events list", "jobs list"].map((name) => ({
      args: [...name.split(" "), "-n", "0"],
      message: '"0" is less than 1.',
      hint: "--help",
    })),
    { args: ["runs", "tail", "-n", "-1"], message: '"-1" is not a whole number.', hint: "--help" },
    { args: ["runs", "tail", "-n", "1.5"], message: '"1.5" is not a whole number.', hint: "--help" },
    { args: ["deliveries", "list"], message: "Unknown command", hint: "Did you mean webhooks deliveries?" },
    { args: ["replay"], message: "Unknown command", hint: "runs replay, errors replay?" },
    { args: ["status", "--base-url", "nonsense"], message: '"nonsense" is not the URL', hint: "It comes from: flag" },
    { args: ["api", "GTE", "/v1/me"], message: 'Unknown method "GTE".', hint: "Did you mean GET?" },
    { args: ["api", "GET", "https://elsewhere.example.com"], message: "is not a path", hint: "Start it with a slash" },
  ])("$args exits with 5 and suggests a fix", async ({ args, message, hint }) => {
    const { code, stdout, stderr } = await millrace(args);
    expect([code, stdout]).toEqual([5, ""]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it("prints the error as one line of JSON on stderr with --json", async () => {
    const { code, stdout, stderr } = await millrace(["runs", "lits", "--json"]);
    expect([code, stdout]).toEqual([5, ""]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "usage",
      exit_code: 5,
      hints: expect.arrayContaining(["Did you mean list?"]),
    });
  });

  it("prints --help and --version to stdout and exits with 0", async () => {
    const help = await millrace(["runs", "cancel", "--help"]);
    expect([help.code, help.stderr]).toEqual([0, ""]);
    expect(help.stdout).toContain("millrace runs cancel -q 'status:pending job:send-mail' --dry-run");
    expect(await millrace(["--version"])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  it("prints the help of a group and exits with 5 without a subcommand", async () => {
    const { code, stderr } = await millrace(["runs"]);
    expect([code, stderr]).toEqual([5, expect.stringContaining("explain [options] <run>")]);
  });

  it("starts the service in development without arguments", async () => {
    const { stderr } = await millrace([]);
    expect(stderr).toContain("a test in this process cannot start the service");
  });
});

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ["--version"]).error === undefined;
}

describe("millrace completion", () => {
  it.each([
    { typed: ["runs", "ca"], words: ["cancel"] },
    { typed: ["workflows", "canary", "pro"], words: ["promote"] },
    { typed: ["runs", "list", "--sta"], words: ["--status"] },
    { typed: ["runs", "get", "0198a7c4", "--js"], words: ["--json"] },
    { typed: ["sche"], words: ["schedules"] },
  ])("completes $typed in bash", async ({ typed, words }) => {
    const { stdout } = await millrace(["completion", "bash"]);
    const script = `${stdout}
COMP_WORDS=(millrace ${typed.join(" ")}); COMP_CWORD=${typed.length}; _millrace; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split("\n")).toEqual(words);
  });

  it.each(["zsh", "fish", "pwsh"])("prints a script with every command for %s", async (shell) => {
    const { code, stdout } = await millrace(["completion", shell]);
    expect(code).toBe(0);
    for (const { name } of allCommands) expect(stdout).toContain(name.split(" ").at(-1));
  });

  it.skipIf(!isInstalled("zsh"))("completes in zsh each time, also if the script is autoloaded", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "_millrace"), (await millrace(["completion", "zsh"])).stdout);
    const script = `compdef() {}; compadd() { shift; print -r -- $@ }; fpath=(${folder} $fpath); autoload -U _millrace
words=(millrace runs ""); CURRENT=3; _millrace
words=(millrace workflows canary ""); CURRENT=4; _millrace`;
    const lines = execFileSync("zsh", ["-f", "-c", script], { encoding: "utf8" }).trim().split("\n");
    expect(lines).toEqual([expect.stringContaining("cancel"), "start show set promote rollback"]);
  });

  it.skipIf(!isInstalled("fish"))("completes in fish, by the position of the words", async () => {
    const { stdout } = await millrace(["completion", "fish"]);
    const complete = (line: string) =>
      execFileSync("fish", ["--no-config", "-c", `${stdout}\ncomplete -C '${line}'`], { encoding: "utf8" });
    expect(complete("millrace sche")).toBe("schedules\n");
    expect(complete("millrace workflows canary pro")).toBe("promote\n");
    expect(complete("millrace runs get 0198a7c4 --js")).toBe("--json\n");
    expect(complete("millrace outbox sources ").split("\n")).not.toContain("events");
  });

  it("names the shells it knows", async () => {
    const { code, stderr } = await millrace(["completion", "csh"]);
    expect([code, stderr]).toEqual([5, expect.stringContaining("bash, zsh, fish, pwsh")]);
  });
});
