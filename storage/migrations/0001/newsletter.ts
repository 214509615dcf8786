/** Newsletters. */
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
]
