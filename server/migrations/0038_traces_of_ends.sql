-- Most runs that end have one attempt and no caller's trace: their spans follow from the changelog and one of these runs.
alter table changelog add column http_statuses smallint[];
alter table changelog_inbox add column http_statuses smallint[];
comment on column changelog.http_statuses is 'For uniform ends that all completed, in traces of their own: the status of each response, so that their spans follow from this row and one of these runs.';
