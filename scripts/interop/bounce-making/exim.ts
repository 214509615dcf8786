/** Exim. An empty retry section makes every temporary failure final. */
import type { MailServer } from './mail-server.ts'
import { failed, MANY_HOPS } from './world.ts'

const configuration = (retry: string, warning: string): string => `primary_hostname = mta.test
domainlist local = local.test
local_interfaces = 127.0.0.1
acl_smtp_rcpt = accept
acl_smtp_data = accept
accept_8bitmime = true
dsn_advertise_hosts = *
smtputf8_advertise_hosts = *
tls_advertise_hosts =
rfc1413_query_timeout = 0s
host_lookup =
keep_environment =
log_file_path = syslog
syslog_facility = local7
received_headers_max = 10
delay_warning = ${warning}
dns_retrans = 1s
dns_retry = 1
ignore_bounce_errors_after = 0s
smtp_accept_max = 100
smtp_accept_queue_per_connection = 0
queue_run_max = 10
exim_user = Debian-exim
exim_group = Debian-exim

begin acl
accept:
  accept

begin routers
aliases:
  driver = redirect
  domains = +local
  allow_fail
  allow_defer
  data = \${lookup{$local_part}lsearch{/etc/exim4/aliases}}
  file_transport = file
  pipe_transport = pipe
  user = nobody
  group = nogroup
mailboxes:
  driver = accept
  domains = +local
  local_parts = full
  transport = full
remote:
  driver = dnslookup
  domains = ! +local
  transport = out
  ignore_target_hosts = 0.0.0.0
  self = fail
  no_more

begin transports
out:
  driver = smtp
  allow_localhost
  connect_timeout = 2s
  command_timeout = 2s
  data_timeout = 2s
  final_timeout = 2s
  hosts_require_tls = 127.2.0.7 : 127.2.0.8
  message_size_limit = \${if eq{$domain}{small.test}{1K}{0}}
file:
  driver = appendfile
full:
  driver = appendfile
  file = /var/mail/exim-full
  quota = 100
  user = nobody
  group = nogroup
  mode = 0666
  mode_fail_narrower = false
pipe:
  driver = pipe
  return_fail_output
  path = /bin:/usr/bin

begin retry
${retry}
`

const ALIASES = `failed: :fail: this person has left, no such user
closed: :fail: 550 5.7.1 mail from outside is not allowed
defer: :defer: the directory is down
exit67: |/bin/sh -c "echo no such user here; exit 67"
exit69: |/bin/sh -c "echo the database is down; exit 69"
exit1: |/bin/false
missing: |/usr/bin/no-such-program
file: /no/such/folder/file
gone: nobody.at.all@local.test
broken: not an address
include: :include:/no/such/list
`

export const EXIM: MailServer = {
  name: 'exim',
  packages: ['exim4-daemon-heavy'],
  files: { '/etc/exim4/exim4.conf': configuration('', ''), '/etc/exim4/aliases': ALIASES },
  delayFiles: { '/etc/exim4/exim4.conf': configuration('* * F,1h,1s', '1s'), '/etc/exim4/aliases': ALIASES },
  start: `rm -rf /var/spool/exim4/*/* ; touch /var/mail/exim-full; chown nobody:nogroup /var/mail/exim-full; chmod 666 /var/mail/exim-full; chmod 1777 /var/mail
chmod 640 /etc/exim4/exim4.conf; chown root:Debian-exim /etc/exim4/exim4.conf /etc/exim4/aliases; chmod 644 /etc/exim4/aliases
exim4 -bd -q1s`,
  own: [
    { kind: 'unknown local user', expected: [failed('nobody.here@local.test', 'hard')] },
    { kind: 'mailbox full', expected: [failed('full@local.test', 'soft')] },
    { kind: ':fail:', expected: [failed('failed@local.test', 'hard')] },
    { kind: ':fail: with a code', expected: [failed('closed@local.test', 'policy')] },
    { kind: ':defer:', expected: [failed('defer@local.test', 'soft')] },
    { kind: 'command: no user', expected: [failed('exit67@local.test', 'hard')] },
    { kind: 'command: unavailable', expected: [failed('exit69@local.test', 'soft')] },
    { kind: 'command: failed', expected: [failed('exit1@local.test', 'soft')] },
    { kind: 'command: missing', expected: [failed('missing@local.test', 'soft')] },
    { kind: 'file: missing', expected: [failed('file@local.test', 'soft')] },
    { kind: 'alias of an unknown user', expected: [failed('gone@local.test', 'hard')] },
    { kind: 'list: missing', expected: [failed('include@local.test', 'soft')] },
    {
      kind: 'too many hops',
      fields: MANY_HOPS,
      expected: [failed('ann@good.test', 'soft')],
    },
  ],
  // Its notice says only that the retry timeout was exceeded.
  without: ['SMTPUTF8 not offered', 'TLS required', 'TLS fails'],
}
