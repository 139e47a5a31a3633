/**
 * A place between two changes: behind everything up to the transaction `xid`, or inside it behind one of its rows. `ms`
 * is when that was, by the clock of the database: an id that is too old is known without a look at the log.
 */
export type StreamPlace = { xid: bigint; ms: number; inside: RowPlace | undefined };
/** `log`: transitions, decisions, lines, deliveries, batches; in this order the rows of one transaction are told. */
export type RowPlace = { log: number; id: string; ordinal: number };

const ID = /^(\d{1,19})\.(\d{1,15})(?:\.([0-4])\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\d{1,10}))?$/;

/** As the id of an event. */
export function writePlace({ xid, ms, inside }: StreamPlace): string {
  return inside ? `${xid}.${ms}.${inside.log}.${inside.id}.${inside.ordinal}` : `${xid}.${ms}`;
}

/** Undefined: no id of ours. */
export function readPlace(text: string): StreamPlace | undefined {
  const [, xid, ms, log, id, ordinal] = ID.exec(text) ?? [];
  if (xid === undefined) return undefined;
  const inside = id === undefined ? undefined : { log: Number(log), id, ordinal: Number(ordinal) };
  return { xid: BigInt(xid), ms: Number(ms), inside };
}

/** Whether a row has yet to be told to somebody who stands at `place`. */
export function isBehind(place: StreamPlace, xid: bigint, row: RowPlace): boolean {
  if (xid !== place.xid) return xid > place.xid;
  return place.inside !== undefined && compareRows(row, place.inside) > 0;
}

/** The order of the rows of one transaction: any would do that stays the same. */
function compareRows(a: RowPlace, b: RowPlace): number {
  if (a.log !== b.log) return a.log - b.log;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return a.ordinal - b.ordinal;
}
