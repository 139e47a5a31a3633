-- Trace contexts (W3C), and drains that send traces and metrics.
alter table runs add column traceparent text;
comment on column runs.traceparent is 'The trace context of its caller, parent or step. Null: its trace begins with it, or with its workflow run.';

alter table workflow_runs add column traceparent text;
comment on column workflow_runs.traceparent is 'The trace context of its caller or of the step above it. Null: its trace begins with it.';

alter table log_drains add column signal text not null default 'logs' check (signal in ('logs', 'traces', 'metrics'));
comment on column log_drains.signal is 'What it sends: log lines, or a span for each run, attempt, workflow run and step that has ended, or sums by job and minute.';
