import { it } from "vitest";
import { expectOutput } from "../testing/example-test.ts";

it("prints the expected output", () => expectOutput("multi-tenant-keys"), 180_000);
