alter table alerts add column notified_channel_ids uuid[] not null default '{}';
comment on column alerts.notified_channel_ids is 'The channels that were notified: they are notified of its end too.';

update alerts a set notified_channel_ids = r.channel_ids from alert_rules r
where r.project_id = a.project_id and r.alert_id = a.id and r.notified_at is not null;
