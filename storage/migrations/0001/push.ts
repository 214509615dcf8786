/** Push subscriptions, events and webhooks. */
export const PUSH_TABLES = [
  `create table push_subscription (
    account int not null, id int not null, organization int not null, credential text not null, stamp text,
    device text not null, url text not null, keys text, code text not null, stage text not null,
    types text, expires_at int, delivered text not null, due_at int not null, next_at int not null,
    pause int not null, attempts int not null, lease text, lease_until int not null, created_at int not null,
    constraint push_subscription_pk primary key (account, id)
  ) clustered`,
  'create index push_subscription_due on push_subscription (due_at, account, id)',
  'create index push_subscription_organization on push_subscription (organization, account)',
  `create table event (
    organization int not null, account int not null, number int not null, type text not null, data text not null,
    at int not null,
    constraint event_pk primary key (organization, account, number)
  ) clustered`,
  'create index event_list on event (organization, at, account, number)',
  'create index event_type on event (organization, type, at, account, number)',
  `create table webhook_subscription (
    organization int not null, type text not null, webhook int not null,
    constraint webhook_subscription_pk primary key (organization, type, webhook)
  ) clustered`,
  `create table webhook_delivery (
    account int not null, number int not null, organization int not null, webhook int not null, id int,
    event_account int not null, event int not null, type text not null, status text not null, attempts int not null,
    due_at int, lease text, lease_until int not null, last_status int, last_error text, answer text,
    created_at int not null, delivered_at int,
    constraint webhook_delivery_pk primary key (account, number)
  )`,
  'create index webhook_delivery_due on webhook_delivery (due_at) where due_at is not null',
  'create unique index webhook_delivery_id on webhook_delivery (organization, id) where id is not null',
  'create index webhook_delivery_pending on webhook_delivery (organization, webhook, due_at, account, number) where due_at is not null',
  'create index webhook_delivery_list on webhook_delivery (organization, webhook, created_at, id)',
  'create index webhook_delivery_new on webhook_delivery (organization, created_at, account, number) where id is null',
]
