import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";

/** Opens a text in the user's editor. `accept` gets what was saved; if it fails, the file is kept. */
export async function editText<T>(
  cli: Cli,
  { name, text }: { name: string; text: string },
  accept: (edited: string) => Promise<T>,
): Promise<T> {
  const editor = cli.env.VISUAL || cli.env.EDITOR;
  if (!editor) throw new CommandError("usage", "No editor is set.", ["Set EDITOR, or pass the changes with -d."]);
  const file = join(mkdtempSync(join(tmpdir(), "millrace-")), name);
  writeFileSync(file, text, { mode: 0o600 });
  try {
    await open(editor, file);
    const accepted = await accept(readFileSync(file, "utf8"));
    rmSync(dirname(file), { recursive: true });
    return accepted;
  } catch (error) {
    cli.say(`The edited text is kept in ${file}.`);
    throw error;
  }
}

/** EDITOR may have arguments, as in `code --wait`, so a shell splits it. */
function open(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(`${editor} "$MILLRACE_EDITED"`, {
      shell: true,
      stdio: "inherit",
      env: { ...process.env, MILLRACE_EDITED: file },
    });
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new CommandError("failure", `The editor ended with ${code}.`)),
    );
  });
}
