import { it } from "vitest";
import { expectOutput } from "../testing/example-test.ts";

it("prints the expected output", () => expectOutput("worker"), 180_000);
