import "@millrace/contract/projects/saved-views";
import { expect, it } from "vitest";
import { synchronous } from "../../../test/world/synchronous.ts";
import { serializeList } from "../register-route.ts";
import { serializerOf } from "./serializers.ts";

const SAVED_VIEW = {
  ...{ id: "v", project_id: "p", name: 'of "data":[]', resource: "runs", query: { status: "failed" } },
  ...{
    created_by: "me",
    created_by_id: "u",
    created_at: "2030-01-01T00:00:00.000Z",
    updated_at: "2030-01-01T00:00:00.000Z",
  },
};

it.each([0, 1, 3])("gives the text of the whole list of %i items, and yields before each", (count) => {
  const data = Array.from({ length: count }, (_, i) => ({ ...SAVED_VIEW, id: `v${i}` }));
  const list = { $schema: 'https://x/"data":[]', data, has_more: true, next_cursor: "next" };
  expect(synchronous(serializeList)("SavedViewList", list)).toBe(serializerOf("SavedViewList")(list));
  expect([...serializeList("SavedViewList", list)]).toHaveLength(count);
});
