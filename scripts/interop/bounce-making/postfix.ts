/** Postfix, and Cyrus behind it: Cyrus takes mail by LMTP only and leaves bounces to the server before it. */
import type { MailServer } from './mail-server.ts'
import { failed, type Provocation } from './world.ts'

const MAIN = `compatibility_level = 3.6
myhostname = mta.test
mydestination = local.test
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtp_host_lookup = dns
local_recipient_maps =
smtpd_reject_unlisted_recipient = no
alias_maps = texthash:/etc/postfix/aliases
alias_database =
relocated_maps = texthash:/etc/postfix/relocated
transport_maps = texthash:/etc/postfix/transport
smtp_tls_policy_maps = texthash:/etc/postfix/tls
smtp_tls_security_level = may
virtual_alias_maps = texthash:/etc/postfix/virtual
virtual_alias_domains = virtual.test
mailbox_size_limit = 21000
message_size_limit = 20000
minimal_backoff_time = 1s
maximal_backoff_time = 1s
queue_run_delay = 1s
smtp_connect_timeout = 2s
smtp_helo_timeout = 2s
smtp_data_done_timeout = 3s
smtputf8_enable = yes
smtpd_discard_ehlo_keywords =
`

const FILES = {
  '/etc/postfix/aliases': `loop1 loop2
loop2 loop1
exit67 "|exit 67"
exit69 "|echo the database is down; exit 69"
exit65 "|exit 65"
exit1 "|echo no way; exit 1"
missing "|/usr/bin/no-such-program"
file /no/such/folder/file
include :include:/no/such/list
`,
  '/etc/postfix/relocated': 'moved@local.test new@other.test\n',
  '/etc/postfix/transport': `closed.test error:5.7.1 mail to this domain is not allowed here
gone.test error:5.1.2 this domain is gone
later.error.test retry:4.3.0 the gateway is down
cyrus.test lmtp:unix:/run/cyrus/socket/lmtp
`,
  '/etc/postfix/tls': 'no-tls.test encrypt\nbroken-tls.test encrypt\n',
  '/etc/postfix/virtual':
    'list@virtual.test gone@several.test, full@several.test\nold@virtual.test nobody.at.all@local.test\n',
}

const START = `id full >/dev/null 2>&1 || useradd -m full
mkdir -p /var/mail; head -c 20950 /dev/zero | tr '\\0' x > /var/mail/full; chown full /var/mail/full
postconf -F '*/*/chroot=n'
postsuper -d ALL
postfix start`

const OWN: readonly Provocation[] = [
  { kind: 'unknown local user', expected: [failed('nobody.here@local.test', 'hard')] },
  { kind: 'mailbox full', expected: [failed('full@local.test', 'soft')] },
  { kind: 'alias loop', expected: [failed('loop1@local.test', 'soft')] },
  { kind: 'command: no user', expected: [failed('exit67@local.test', 'hard')] },
  { kind: 'command: unavailable', expected: [failed('exit69@local.test', 'soft')] },
  { kind: 'command: failed', expected: [failed('exit1@local.test', 'soft')] },
  { kind: 'command: missing', expected: [failed('missing@local.test', 'soft')] },
  { kind: 'file: missing', expected: [failed('file@local.test', 'soft')] },
  { kind: 'list: missing', expected: [failed('include@local.test', 'soft')] },
  { kind: 'moved', expected: [failed('moved@local.test', 'hard')] },
  { kind: 'domain closed', expected: [failed('ann@closed.test', 'policy')] },
  { kind: 'domain gone', expected: [failed('ann@gone.test', 'hard')] },
  { kind: 'gateway down', expected: [failed('ann@later.error.test', 'soft')] },
  { kind: 'alias of an unknown user', expected: [failed('old@virtual.test', 'hard')] },
]

export const POSTFIX: MailServer = {
  name: 'postfix',
  packages: ['postfix'],
  files: { ...FILES, '/etc/postfix/main.cf': `${MAIN}maximal_queue_lifetime = 0\nbounce_queue_lifetime = 0\n` },
  delayFiles: { ...FILES, '/etc/postfix/main.cf': `${MAIN}delay_warning_time = 1s\n` },
  start: START,
  own: OWN,
  without: [],
}

const IMAPD = `configdirectory: /var/lib/cyrus
partition-default: /var/spool/cyrus/mail
defaultpartition: default
admins: cyrus
autocreate_post: yes
autocreate_users: full limits
autocreate_quota: 1
autocreate_quota_messages: 3
lmtpsocket: /run/cyrus/socket/lmtp
lmtp_over_quota_perm_failure: yes
lmtp_downcase_rcpt: yes
unixhierarchysep: yes
virtdomains: off
maxmessagesize: 2500
maxheaderlines: 40
duplicatesuppression: no
`

const CYRUS_CONF = `START {
  recover cmd="/usr/lib/cyrus/bin/ctl_cyrusdb -r"
}
SERVICES {
  lmtpunix cmd="/usr/lib/cyrus/bin/lmtpd" listen="/run/cyrus/socket/lmtp" prefork=1
}
EVENTS {
}
`

export const CYRUS: MailServer = {
  name: 'cyrus',
  packages: ['postfix', 'cyrus-imapd'],
  files: { ...POSTFIX.files, '/etc/imapd.conf': IMAPD, '/etc/cyrus.conf': CYRUS_CONF },
  delayFiles: null,
  start: `${START}
mkdir -p /run/cyrus/socket /run/cyrus/proc /run/cyrus/lock /var/spool/cyrus/mail /var/lib/cyrus
chown -R cyrus:mail /run/cyrus /var/spool/cyrus /var/lib/cyrus
cyrmaster -d
for i in 1 2 3 4 5 6 7 8 9 10; do [ -S /run/cyrus/socket/lmtp ] && break; sleep 1; done; chmod 777 /run/cyrus/socket/lmtp`,
  own: [
    { kind: 'unknown mailbox', expected: [failed('nobody@cyrus.test', 'hard')] },
    { kind: 'over quota', size: 1_500, expected: [failed('full@cyrus.test', 'soft')] },
    { kind: 'too large', size: 2_600, expected: [failed('limits@cyrus.test', 'soft')] },
    {
      kind: 'two of LMTP',
      size: 1_500,
      expected: [failed('nobody.two@cyrus.test', 'hard'), failed('full@cyrus.test', 'soft')],
    },
  ],
  without: [],
}
