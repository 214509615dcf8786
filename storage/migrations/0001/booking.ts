/** Times that were booked on public pages, and meetings at conferencing providers. */
export const BOOKING_TABLES = [
  `create table booking (
    account int not null, id int not null, organization int not null, page int not null, event int,
    nonce text not null, status text not null, start_at int not null, end_at int not null, due_at int,
    letter text, lease text, lease_until int not null, data text not null, created_at int not null,
    constraint booking_pk primary key (account, id)
  ) clustered`,
  'create unique index booking_nonce on booking (account, nonce)',
  'create index booking_due on booking (due_at, account, id) where due_at is not null',
  'create index booking_event on booking (account, event) where event is not null',
  `create table organization_logo (
    account int not null primary key, tag text not null, type text not null, width int not null, height int not null,
    image bytes not null, created_at int not null
  )`,
  `create table meeting (
    account int not null, id int not null, event int not null, provider text not null, wanted text, remote text,
    is_unsure int not null, sends int not null, due_at int, attempts int not null, lease text,
    lease_until int not null, created_at int not null,
    constraint meeting_pk primary key (account, id)
  ) clustered`,
  'create unique index meeting_event on meeting (account, event)',
  'create index meeting_due on meeting (due_at, account, id) where due_at is not null',
]
