/** Calendar events. Calendars are in the table `object`. */
export const CALENDAR_TABLES = [
  `create table calendar_event (
    account int not null, id int not null, uid text not null, recurrence_id text not null, revision int not null,
    calendars text not null, is_draft int not null, is_recurring int not null, is_floating int not null,
    start_at int not null, end_at int not null, first_start_at int not null, made_at int not null,
    updated_at int not null, data text not null, created_at int not null,
    constraint calendar_event_pk primary key (account, id)
  )`,
  'create unique index calendar_event_uid on calendar_event (account, uid, recurrence_id)',
  'create index calendar_event_time on calendar_event (account, is_recurring, end_at, start_at, id)',
  `create table calendar_event_calendar (
    account int not null, calendar int not null, calendar_event int not null,
    constraint calendar_event_calendar_pk primary key (account, calendar, calendar_event)
  ) clustered`,
  'create index calendar_event_calendar_event on calendar_event_calendar (account, calendar_event)',
  `create table calendar_event_text (
    account int not null, calendar_event int not null, title text not null, description text not null,
    location text not null, owner text not null, attendee text not null, other text not null,
    constraint calendar_event_text_pk primary key (account, calendar_event)
  )`,
  `create table calendar_event_blob (
    account int not null, blob int not null, calendar_event int not null,
    constraint calendar_event_blob_pk primary key (account, blob, calendar_event)
  ) clustered`,
  'create index calendar_event_blob_event on calendar_event_blob (account, calendar_event)',
  `create table scheduling_message (
    account int not null, id int not null, calendar_event int not null, data text not null, done int not null,
    due_at int not null, attempts int not null, lease text, lease_until int not null, created_at int not null,
    constraint scheduling_message_pk primary key (account, id)
  )`,
  'create index scheduling_message_due on scheduling_message (due_at, account, id)',
]
