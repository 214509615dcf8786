/** Subscriptions of organizations, events of the provider of billing, payments. */
export const BILLING_TABLES = [
  `create table billing (
    organization int primary key, customer text, subscription text, status text not null, plan text,
    trial_ends_at int, period_start int, period_end int, cancel_at int, has_payment_method int not null,
    had_trial int not null, unpaid_since int, letters int not null, letter_at int, suspended_at int, fake text,
    requested int not null, due_at int, attempts int not null, lease text, lease_until int not null
  ) clustered`,
  'create unique index billing_customer on billing (customer) where customer is not null',
  'create index billing_due on billing (due_at, organization) where due_at is not null',
  `create table billing_event (
    organization int not null, id text not null, type text not null, happened_at int not null,
    received_at int not null, request int not null, applied_at int,
    constraint billing_event_pk primary key (organization, id)
  ) clustered`,
  `create table billing_charge (
    organization int not null, key text not null, amount text not null, currency text not null,
    item text not null, description text not null, status text not null, reason text, source text,
    reference text, created_at int not null, updated_at int not null,
    constraint billing_charge_pk primary key (organization, key)
  ) clustered`,
]
