import { it } from "vitest";
import { expectOutput } from "../testing/example-test.ts";

it("prints what it says", () => expectOutput("multi-tenant-keys"), 180_000);
