/** Newsletters and their media. */
export const NEWSLETTER_TABLES = [
  `create table newsletter (
    account int not null, id int not null, status text not null, audience int, domain int, settings text not null,
    created_at int not null, updated_at int not null,
    constraint newsletter_pk primary key (account, id)
  ) clustered`,
  'create index newsletter_audience on newsletter (account, audience, id)',
  'create index newsletter_status on newsletter (account, status, id)',
  `create table newsletter_content (
    account int not null, newsletter int not null, assets text not null, octets int not null, content text not null,
    constraint newsletter_content_pk primary key (account, newsletter)
  ) clustered`,
  'create index newsletter_content_octets on newsletter_content (account, newsletter, octets)',
  `create table newsletter_asset (
    account int not null, id int not null, nonce text not null, kind text not null, filename text not null,
    content_type text not null, size int not null, checksum text not null, width int, height int, duration_ms int,
    thumbnail_type text not null, thumbnail_size int not null, created_at int not null,
    constraint newsletter_asset_pk primary key (account, id)
  ) clustered`,
  'create unique index newsletter_asset_nonce on newsletter_asset (account, nonce)',
  'create unique index newsletter_asset_checksum on newsletter_asset (account, checksum)',
  `create table newsletter_asset_piece (
    account int not null, asset int not null, part text not null, number int not null, blob int not null, size int not null,
    constraint newsletter_asset_piece_pk primary key (account, asset, part, number)
  ) clustered`,
  'create index newsletter_asset_piece_blob on newsletter_asset_piece (account, blob)',
  `create table newsletter_run (
    account int not null, newsletter int not null, step text not null, due_at int, lease text, lease_until int not null,
    started_at int, gathered int not null, hour int not null, hour_queued int not null, waiting int not null,
    queued int not null, delivered int not null, bounced int not null, skipped int not null, complained int not null,
    unsubscribed int not null, recent text not null,
    constraint newsletter_run_pk primary key (account, newsletter)
  ) clustered`,
  'create index newsletter_run_due on newsletter_run (due_at) where due_at is not null',
  `create table newsletter_template (
    account int not null, newsletter int not null, template text not null,
    constraint newsletter_template_pk primary key (account, newsletter)
  ) clustered`,
  `create table newsletter_recipient (
    account int not null, id int not null, newsletter int not null, subscriber int not null, address text not null,
    status text not null, reason text, queued_at int, finished_at int, complained int not null, unsubscribed int not null,
    constraint newsletter_recipient_pk primary key (account, id)
  ) clustered`,
  'create index newsletter_recipient_status on newsletter_recipient (account, newsletter, status, id)',
  'create index newsletter_recipient_newsletter on newsletter_recipient (account, newsletter, id)',
  'create unique index newsletter_recipient_subscriber on newsletter_recipient (account, newsletter, subscriber)',
  `create table newsletter_warm_up (
    account int not null, domain int not null, day int not null, recipients int not null, days int not null,
    constraint newsletter_warm_up_pk primary key (account, domain)
  ) clustered`,
]
