import { it } from "vitest";
import { expectOutput } from "../testing/example-test.ts";

it("prints the expected output", () => expectOutput("human-approval"), 180_000);
