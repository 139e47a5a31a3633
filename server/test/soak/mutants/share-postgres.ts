import type { TestProject } from "vitest/node";

/** The tests of a mutant use a server, with its templates, of the run that started them. */
export default function setUp(project: TestProject): void {
  project.provide("postgres", [JSON.parse(process.env.MUTANT_POSTGRES ?? "")]);
}
