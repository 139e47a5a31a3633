import { serializerOf } from "./serializers.ts";

type List = { data: unknown[] } & Record<string, unknown>;

/** A list as its response, item by item, for `inSlices`: a page of a hundred payloads takes seconds. */
export function* serializeList(name: string, list: List): Generator<void, string> {
  const serialize = serializerOf(name);
  const empty = serialize({ ...list, data: [] });
  const start = empty.indexOf(EMPTY) + EMPTY.length - 1;
  const end = start - empty.length;
  const items: string[] = [];
  for (const item of list.data) {
    yield;
    items.push(serialize({ ...list, data: [item] }).slice(start, end));
  }
  return `${empty.slice(0, start)}${items.join(",")}${empty.slice(end)}`;
}

const EMPTY = '"data":[]';
