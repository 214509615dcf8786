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
    account int not null, newsletter int not null, content text not null,
    constraint newsletter_content_pk primary key (account, newsletter)
  ) clustered`,
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
]
