import { it } from "vitest";
import { expectOutputOfCommand } from "../testing/example-test.ts";

it("prints the expected output", () => expectOutputOfCommand("hello"), 180_000);
