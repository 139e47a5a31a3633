import { it } from "vitest";
import { expectOutput } from "../testing/example-test.ts";

it("prints what it says", () => expectOutput("human-approval"), 180_000);
