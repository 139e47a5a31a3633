import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import type { Cli } from "../cli.ts";
import { printRows } from "./print-rows.ts";

describe("printRows", () => {
  it("escapes control characters on a terminal, so that an error from elsewhere cannot move the cursor", async () => {
    let written = "";
    const cli = {
      format: "human",
      colors: picocolors.createColors(false),
      terminal: { out: true },
      write: (text: string) => {
        written += text;
      },
    } as Cli;
    const columns = [{ title: "error", value: (text: string) => text }];
    await printRows(cli, { rows: ["\u001b[2Jgone"], columns, nothing: "" });
    expect(written).toBe("ERROR\n\\x1b[2Jgone\n");
  });
});
