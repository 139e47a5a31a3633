import { it } from "vitest";
import { expectOutput } from "../testing/example-test.ts";

it("prints what it says", () => expectOutput("webhook-relay"), 180_000);
