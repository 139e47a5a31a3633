import { type Client, PermissionError } from "@millrace/sdk";
import { expect, it } from "vitest";
import { addCosts } from "./add-costs.ts";
import { KINDS } from "./kinds.ts";
import type { Change } from "./make-plan.ts";

const job = KINDS.find(({ kind }) => kind === "job");

function changeOf(id: string): Change {
  if (!job) throw new Error("there are no jobs");
  const item = { kind: job, key: id, body: {} };
  return { action: "update", item, remote: { ...item, id, isStandard: false }, fields: [], sent: {}, notes: [] };
}

const answering = (answer: () => unknown) => ({ request: async () => answer() }) as unknown as Client;

it("notes what a changed job has cost, and nothing for one without costs", async () => {
  const groups = [{ id: "mail", total_microusd: 2_500_000, dispatches: 100 }];
  const changes = [changeOf("mail"), changeOf("free")];
  await addCosts(
    answering(() => ({ jobs: { groups } })),
    changes,
  );
  expect(changes.map(({ notes }) => notes)).toEqual([
    ["cost $2.50, $0.025000 for each dispatch, in the last 30 days"],
    [],
  ]);
});

it("omits costs if the key may not read them", async () => {
  const change = changeOf("mail");
  const refused = answering(() => {
    throw new PermissionError({ status: 403, code: "scope_missing", message: "" } as never);
  });
  await addCosts(refused, [change]);
  expect(change.notes).toEqual([]);
});
