import { it } from "vitest";
import { expectOutputOfCommand } from "../testing/example-test.ts";

it("prints what it says", () => expectOutputOfCommand("hello"), 180_000);
