-- What changed, in an order that consumers can follow. Writers add rows to the inbox, in the statement of the change; the
-- sequencer moves what has committed into the changelog and numbers it. A row has the changes of one statement in one
-- project, without payloads or other tenant text. Positions do not depend on transaction ids, so they survive a dump and
-- restore, and no open transaction of the cluster delays consumers.
create table changelog_inbox (
  id bigint generated always as identity primary key,
  project_id uuid not null,
  kind text not null,
  ids uuid[] not null,
  ordinals integer[],
  from_statuses text[],
  to_statuses text[],
  causes text[],
  attempts integer[],
  row_ids uuid[],
  is_alike boolean not null default false,
  wall_ms bigint[],
  waited_ms bigint[],
  created_at timestamptz(3) not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_threshold = 1000000);
comment on table changelog_inbox is 'Changes of one statement that have no position yet; inserted by that statement, moved to the changelog by the sequencer.';

create table changelog (
  position bigint primary key,
  project_id uuid not null,
  kind text not null,
  ids uuid[] not null,
  ordinals integer[],
  from_statuses text[],
  to_statuses text[],
  causes text[],
  attempts integer[],
  row_ids uuid[],
  is_alike boolean not null default false,
  wall_ms bigint[],
  waited_ms bigint[],
  created_at timestamptz(3) not null
);
create index changelog_lines_idx on changelog (project_id, position) where kind = 'run_log';
comment on table changelog is 'Changes of one statement in one project, with their position in the order of the whole service; inserted by the sequencer.';
comment on column changelog.ids is 'What changed, one entry per change, as in the other arrays.';
comment on column changelog.row_ids is 'The ids of log lines and usage records.';
comment on column changelog.is_alike is 'All changes are of runs with the same job version, environment and kind of trigger. Ends that are alike also have the same creator, nothing else by which costs are grouped, and the durations of their only dispatch.';
comment on column changelog.wall_ms is 'Of ends that are alike: how long the dispatch took; waited_ms is how long the run waited for it once it was due.';

create table changelog_head (
  is_head boolean primary key default true check (is_head),
  position bigint not null,
  scan_after bigint not null,
  last_id bigint not null,
  marked_id bigint not null,
  marked_at timestamptz(3) not null
);
comment on table changelog_head is 'The only row has the last position of the changelog; the sequencer locks and writes it, so that positions become visible in their order.';
comment on column changelog_head.scan_after is 'The inbox is scanned above it, so that rows that vacuum cannot remove yet do not slow the scan down: the last id of the mark before the last, more than a minute ago.';
insert into changelog_head (position, scan_after, last_id, marked_id, marked_at) values (0, 0, 0, 0, clock());

create table log_cursors (
  consumer text primary key,
  position bigint not null,
  counted_to timestamptz(3),
  updated_at timestamptz(3) not null
);
comment on table log_cursors is 'How far a consumer of the whole service has read; written by the consumer with what it derives. Log drains have cursors of their own.';
comment on column log_cursors.counted_to is 'Of recounts, which read no log: the time up to which they have counted.';
