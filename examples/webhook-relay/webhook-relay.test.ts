import { it } from "vitest";
import { expectOutput } from "../testing/example-test.ts";

it("prints the expected output", () => expectOutput("webhook-relay"), 180_000);
