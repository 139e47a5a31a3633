import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import type { Cli } from "../cli.ts";
import { type Column, printRows } from "./print-rows.ts";

/** What is printed on a terminal of this width. */
async function printed<T>(columns: readonly Column<T>[], rows: readonly T[], width: number): Promise<string> {
  let written = "";
  const cli = {
    format: "human",
    colors: picocolors.createColors(false),
    terminal: { out: true, columns: width },
    write: (text: string) => {
      written += text;
    },
  } as Cli;
  await printRows(cli, { rows, columns, nothing: "" });
  return written;
}

describe("printRows", () => {
  it("escapes control characters on a terminal, so that an error from elsewhere cannot move the cursor", async () => {
    const columns = [{ title: "error", value: (text: string) => text }];
    expect(await printed(columns, ["\u001b[2Jgone"], 80)).toBe("ERROR\n\\x1b[2Jgone\n");
  });

  it("never wraps a line: cells are cut, and minor columns left out", async () => {
    const columns = [
      { title: "name", value: (text: string) => text },
      { title: "tries", value: () => "1/3", isMinor: true },
      { title: "error", value: () => "The bank does not answer." },
    ];
    expect(await printed(columns, ["send-mail"], 80)).toContain("send-mail  1/3    The bank does not answer.\n");
    expect(await printed(columns, ["send-mail"], 30)).toBe("NAME       ERROR\nsend-mail  The bank does not …\n");
  });
});
