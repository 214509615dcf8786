/** When events have their next alert, the queue of accounts by it, and alerts that were just triggered. */
export const REMINDER_TABLES = [
  `create table calendar_event_reminder (
    account int not null, calendar_event int not null, due_at int not null, settled_at int not null,
    constraint calendar_event_reminder_pk primary key (account, calendar_event)
  ) clustered`,
  'create index calendar_event_reminder_due on calendar_event_reminder (account, due_at, calendar_event)',
  `create table calendar_alert (
    account int not null, id int not null, after_seq int not null, fired_at int not null, event int not null,
    uid text not null, recurrence_id text, alert_id text not null,
    constraint calendar_alert_pk primary key (account, id)
  ) clustered`,
  `create table reminder_queue (
    account int not null, due_at int, lease text, lease_until int not null, recalculate_after int,
    counted_since int not null, counted int not null,
    constraint reminder_queue_pk primary key (account)
  ) clustered`,
  'create index reminder_queue_due on reminder_queue (due_at, account) where due_at is not null',
]
