/** Who sent an event. Without an id no caller did: a callback, a step or a run. */
export type Sender = { sent_by: string; sent_by_id?: string | null | undefined };
