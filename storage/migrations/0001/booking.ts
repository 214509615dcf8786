/** Times that were booked on public pages. */
export const BOOKING_TABLES = [
  `create table booking (
    account int not null, id int not null, organization int not null, page int not null, event int,
    nonce text not null, status text not null, start_at int not null, end_at int not null, due_at int,
    data text not null, created_at int not null,
    constraint booking_pk primary key (account, id)
  ) clustered`,
  'create unique index booking_nonce on booking (account, nonce)',
  'create index booking_due on booking (due_at, account, id) where due_at is not null',
]
