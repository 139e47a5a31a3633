-- contract: no released version uses the old names.
alter table changelog_inbox rename column is_alike to is_uniform;
alter table changelog rename column is_alike to is_uniform;
comment on column changelog.is_uniform is 'All changes are of runs with the same job version, environment and kind of trigger. Uniform ends also have the same creator, nothing else by which costs are grouped, and the durations of their only dispatch.';
comment on column changelog.wall_ms is 'For uniform ends: how long the dispatch took; waited_ms is how long the run waited for it once it was due.';

alter table webhook_attempts drop constraint webhook_attempts_outcome_check;
update webhook_attempts set outcome = 'retryable' where outcome = 'to_be_retried';
update webhook_attempts set outcome = 'aborted' where outcome = 'given_back';
alter table webhook_attempts add constraint webhook_attempts_outcome_check
  check (outcome in ('delivered', 'refused', 'retryable', 'aborted', 'lost'));
