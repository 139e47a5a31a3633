import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Found = { id: string; impact: string | null; help: string; nodes: { html: string; failureSummary?: string }[] };

/** Serious and critical axe findings. Injected through the DevTools protocol, so that the CSP stays in force. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: Found[];
  };
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help} — ${nodes
          .slice(0, 3)
          .map(({ html, failureSummary }) => `${html.slice(0, 220)} ${failureSummary ?? ""}`)
          .join(" | ")}`,
    );
}
