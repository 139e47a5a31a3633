/**
 * A position between two changes: after everything up to `position` of the changelog, or inside that row after one of its
 * changes.
 * `ms` is its time by the database's clock: an id that is too old is detected without reading the log.
 */
export type StreamPlace = { position: number; ms: number; inside: RowPlace | undefined };
/**
 * `log`: transitions, decisions, lines, deliveries, batches; the kind of a change.
 */
export type RowPlace = { log: number; id: string; ordinal: number };

const ID = /^(\d{1,15})\.(\d{1,15})(?:\.([0-4])\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\d{1,10}))?$/;

/** Formats the position as an event id. */
export function writePlace({ position, ms, inside }: StreamPlace): string {
  return inside ? `${position}.${ms}.${inside.log}.${inside.id}.${inside.ordinal}` : `${position}.${ms}`;
}

/** Undefined: this service did not issue the id. */
export function readPlace(text: string): StreamPlace | undefined {
  const [, position, ms, log, id, ordinal] = ID.exec(text) ?? [];
  if (position === undefined) return undefined;
  const inside = id === undefined ? undefined : { log: Number(log), id, ordinal: Number(ordinal) };
  return { position: Number(position), ms: Number(ms), inside };
}

/** Whether a row is still to be delivered to a subscriber at `place`. */
export function isBehind(place: StreamPlace, position: number, row: RowPlace): boolean {
  if (position !== place.position) return position > place.position;
  return place.inside !== undefined && compareRows(row, place.inside) > 0;
}

/** The order of the changes at one position: any stable order would do. */
function compareRows(a: RowPlace, b: RowPlace): number {
  if (a.log !== b.log) return a.log - b.log;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return a.ordinal - b.ordinal;
}
