import { it } from "vitest";
import { expectOutput } from "../testing/example-test.ts";

it("prints what it says", () => expectOutput("hello"), 180_000);
