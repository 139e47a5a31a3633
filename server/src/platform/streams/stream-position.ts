/**
 * A position between two changes: after everything up to `position` of the changelog, or inside that row after one of its
 * changes.
 * `ms` is its time by the database's clock: an id that is too old is detected without reading the log.
 */
export type StreamPosition = { position: number; ms: number; inside: RowPosition | undefined };
/** `log`: the kind of the change, as a number: run, workflow run, log line, delivery, batch operation. */
export type RowPosition = { log: number; id: string; ordinal: number };

const ID = /^(\d{1,15})\.(\d{1,15})(?:\.([0-4])\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\d{1,10}))?$/;

/** Formats the position as an event id. */
export function formatPosition({ position, ms, inside }: StreamPosition): string {
  return inside ? `${position}.${ms}.${inside.log}.${inside.id}.${inside.ordinal}` : `${position}.${ms}`;
}

/** Undefined: this service did not issue the id. */
export function parsePosition(text: string): StreamPosition | undefined {
  const [, position, ms, log, id, ordinal] = ID.exec(text) ?? [];
  if (position === undefined) return undefined;
  const inside = id === undefined ? undefined : { log: Number(log), id, ordinal: Number(ordinal) };
  return { position: Number(position), ms: Number(ms), inside };
}

/** Whether a row is still to be delivered to a subscriber at `at`. */
export function isBehind(at: StreamPosition, position: number, row: RowPosition): boolean {
  if (position !== at.position) return position > at.position;
  return at.inside !== undefined && compareRows(row, at.inside) > 0;
}

/** The order of the changes at one position: any stable order would do. */
function compareRows(a: RowPosition, b: RowPosition): number {
  if (a.log !== b.log) return a.log - b.log;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return a.ordinal - b.ordinal;
}
