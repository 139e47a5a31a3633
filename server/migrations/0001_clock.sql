-- The one clock. Every deadline is computed and compared with it. Stable and inlined, so that index conditions
-- may use it at no cost. Tests replace the body to set and step the time.
create function clock() returns timestamptz
language sql stable parallel safe
as 'select statement_timestamp()';
